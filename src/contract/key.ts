import { z } from "zod";
import { AskedTime, data, Paging, QueryBoolean, Timestamp, Uuid } from "./common.ts";
import { list } from "./list.ts";
import { Permission } from "./permission.ts";

export const LimitReset = z.enum(["daily", "weekly", "monthly"]);
export type LimitReset = z.infer<typeof LimitReset>;

/** The part of a key that names it and keeps no secret. */
export const KeyHash = z.string().regex(/^[0-9A-Za-z]{12}$/, "must be the 12-character hash of a key");

const limitDigits = (value: number) => Number(value.toFixed(6)) === value;

/** Euros a key may spend; `null` = no limit of its own. */
export const KeyLimit = z
  .number()
  .min(0, "must not be negative")
  .max(1_000_000_000, "may be 1,000,000,000 at most")
  .refine(limitDigits, "may have six fraction digits at most");

export const resetNeedsLimit = "requires `limit`";
type Period = LimitReset | null | undefined;

/** For what is made with both, `usage_limit_type` being another name; a change may rely on the limit there is. */
export function assertLimit(
  made: { readonly limit?: number | null; readonly limit_reset?: Period; readonly usage_limit_type?: Period },
  { addIssue }: z.RefinementCtx,
): void {
  for (const name of ["limit_reset", "usage_limit_type"] as const)
    if (made[name] != null && made.limit == null)
      addIssue({ code: "custom", path: [name], message: resetNeedsLimit });
}

/** When a key ends. */
export const KeyExpiry = AskedTime;

export const KeyName = z
  .string()
  .trim()
  .min(1, "must not be empty")
  .max(100, "may have 100 characters at most");
const Models = list(z.string().min(1).max(200)).max(200, "may name 200 models at most");
const Permissions = list(Permission).max(Permission.options.length);

const byokCost = (when: string) =>
  `Cost of requests with the organisation's own provider credentials${when}, in euros, billed by the providers.`;

/** A limit and what was spent. */
export const spendingFields = {
  limit: z.number().nullable().describe("Spending limit in euros; null if it has none of its own."),
  limit_remaining: z
    .number()
    .nullable()
    .describe("Amount left of `limit` in the current period, in euros; null without a limit."),
  limit_reset: LimitReset.nullable().describe(
    "How often the limit resets (UTC; weeks start on Monday); null if it never resets.",
  ),
  usage: z.number().describe("Total cost charged so far, in euros."),
  usage_daily: z.number().describe("Cost charged on the current UTC day, in euros."),
  usage_weekly: z.number().describe("Cost charged in the current UTC week, from Monday, in euros."),
  usage_monthly: z.number().describe("Cost charged in the current UTC month, in euros."),
  byok_usage: z.number().describe(byokCost("")),
  byok_usage_daily: z.number().describe(byokCost(" on the current UTC day")),
  byok_usage_weekly: z.number().describe(byokCost(" in the current UTC week, from Monday")),
  byok_usage_monthly: z.number().describe(byokCost(" in the current UTC month")),
};

/** Requests a key may make in one minute. */
export const RequestsPerMinute = z
  .int("must be a whole number")
  .min(1, "must be 1 or more")
  .max(1_000_000, "may be 1,000,000 at most");

const byokInLimit =
  "Whether requests with the organisation's own provider credentials count towards `limit`.";
const allowedModels = "IDs of the models the key may use; null for every model, empty for none.";
const end = "Time the key stops working; null if it never expires.";

/** What an answer says of any key. */
const keyFields = {
  hash: KeyHash.describe("Public identifier of the key, 12 characters; used in paths instead of the key."),
  name: z.string().describe("Name of the key."),
  label: z.string().describe("Abbreviated form of the key: its hash and its last four characters."),
  ...spendingFields,
  limit_remaining: spendingFields.limit_remaining.describe(
    "Amount left of `effective_limit`, in euros; null when no limit applies.",
  ),
  effective_limit: z
    .number()
    .nullable()
    .describe(
      "The limit with the least left among the key's own, its parent keys' and its workspace's, in euros; null if none " +
        "applies.",
    ),
  include_byok_in_limit: z.boolean().describe(byokInLimit),
  requests_per_minute: z
    .int()
    .nullable()
    .describe("Maximum number of requests per minute; null for the installation's default."),
  permissions: z.array(Permission).describe("Permissions of the key."),
  allowed_models: z.array(z.string()).nullable().describe(allowedModels),
  workspace_id: Uuid.nullable().describe("ID of the workspace the key belongs to; null for none."),
  creator_user_id: z.string().describe("ID of the user or service account that owns the key."),
  expires_at: Timestamp.nullable().describe(end),
};

/** An API key as lists show it: never the key itself. */
export const ApiKey = z
  .object({
    id: Uuid.describe("ID of the key."),
    ...keyFields,
    app_host: z
      .string()
      .nullable()
      .describe("Host of the app the key was issued to over PKCE; null for other keys."),
    parent_hash: KeyHash.nullable().describe(
      "Hash of the limited key that created this one and whose limit it shares; null for none.",
    ),
    disabled: z.boolean().describe("Whether the key is disabled; its requests are then refused."),
    last_used: Timestamp.nullable().describe(
      "Time the key was last used, to the minute; null if it never was.",
    ),
    external_user: z.null().describe("Always null; OpenRouter's clients require the field."),
    created_at: Timestamp.describe("Time the key was created."),
    updated_at: Timestamp.describe("Time the key was last changed."),
  })
  .meta({ id: "ApiKey" });
export type ApiKey = z.infer<typeof ApiKey>;

export const CreatedKey = data(ApiKey).extend({
  key: z.string().describe("The API key itself, which is returned only once."),
});
export type CreatedKey = z.infer<typeof CreatedKey>;

/** What its owner decides of a key, when it is made and afterwards. */
const ownersChoice = {
  workspace_id: Uuid.nullish().describe("ID of the workspace the key belongs to; null for none."),
  permissions: Permissions.optional().describe(
    "Permissions of the key; a new key gets only `inference:use` by default.",
  ),
  allowed_models: Models.nullish().describe(allowedModels),
  limit: KeyLimit.nullish().describe("Spending limit in euros, up to six decimals; null for no limit."),
  limit_reset: LimitReset.nullish().describe(
    "How often the limit resets (UTC; weeks start on Monday); null to never reset it. Needs a limit.",
  ),
  include_byok_in_limit: z.boolean().optional().describe(byokInLimit),
  requests_per_minute: RequestsPerMinute.nullish().describe(
    "Maximum number of requests per minute; null for the installation's default.",
  ),
  expires_at: KeyExpiry.nullish().describe(end),
};

export const ApiKeyCreate = z
  .strictObject({
    name: KeyName.describe("Name of the key."),
    service_account_id: Uuid.nullish().describe(
      "ID of the service account that will own the key; the caller owns it if omitted or null.",
    ),
    ...ownersChoice,
    disabled: z.boolean().default(false).describe("Whether the key starts out disabled."),
  })
  .superRefine(assertLimit);
export type ApiKeyCreate = z.infer<typeof ApiKeyCreate>;

/** Only what is sent changes; `null` clears. */
export const ApiKeyUpdate = z.strictObject({
  hash: KeyHash.describe("Hash of the key."),
  name: KeyName.optional().describe("New name of the key."),
  ...ownersChoice,
  disabled: z.boolean().optional().describe("Whether the key is disabled."),
});
export type ApiKeyUpdate = z.infer<typeof ApiKeyUpdate>;

/** As a browser writes it: in punycode, and with its port unless that is the usual one. */
export const AppHost = z.string().min(1, "must not be empty").max(300, "may have 300 characters at most");

export const ApiKeyListQuery = Paging.extend({
  include_disabled: QueryBoolean.describe("Whether disabled keys are included; false by default.").optional(),
  workspace_id: Uuid.describe("Only keys of this workspace.").optional(),
  app_host: AppHost.describe("Only keys issued to the app on this host.").optional(),
});
export type ApiKeyListQuery = z.infer<typeof ApiKeyListQuery>;

/** What a key is called, for choosing one and for naming one. */
export const NamedKey = z.object({ id: Uuid, name: z.string() });

/** What the key of a request may do and has spent. */
export const KeyInfo = z
  .object({
    ...keyFields,
    is_free_tier: z.boolean().describe("Always false; there is no free tier."),
    is_management_key: z.boolean().describe("Whether the key has the permission `keys:write`."),
    is_provisioning_key: z.boolean().describe("Same as `is_management_key`."),
    organization_id: Uuid.describe("ID of the organisation the key belongs to."),
    allowed_data_regions: z
      .array(z.string())
      .describe("Always `global`; routing rules decide in which regions requests are processed."),
    rate_limit: z
      .object({
        requests: z.int().describe("Number of requests per interval."),
        interval: z.literal("1m").describe("Always `1m`, one minute."),
        note: z.string().describe("Explanation of the limit."),
      })
      .describe("Rate limit of the key."),
    free_model_daily_requests: z
      .object({
        limit: z.literal(0).describe("Always 0."),
        used: z.literal(0).describe("Always 0."),
        remaining: z.literal(0).describe("Always 0."),
      })
      .describe("Requests to free models, which do not exist here; OpenRouter's clients require the field."),
  })
  .meta({ id: "KeyInfo" });
export type KeyInfo = z.infer<typeof KeyInfo>;
