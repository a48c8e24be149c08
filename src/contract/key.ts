import { z } from "zod";
import { AskedTime, data, Paging, QueryBoolean, Timestamp, Uuid } from "./common.ts";
import { list } from "./list.ts";
import { Permission } from "./permission.ts";

export const LimitReset = z.enum(["daily", "weekly", "monthly"]);
export type LimitReset = z.infer<typeof LimitReset>;

/** The part of a key that names it and keeps no secret. */
export const KeyHash = z.string().regex(/^[0-9A-Za-z]{12}$/, "must be the 12 characters that name a key");

const limitDigits = (value: number) => Number(value.toFixed(6)) === value;

/** Euros a key may spend; `null` = no limit of its own. */
export const KeyLimit = z
  .number()
  .min(0, "must not be negative")
  .max(1_000_000_000, "may be 1,000,000,000 at most")
  .refine(limitDigits, "may have six fraction digits at most");

export const resetNeedsLimit = "needs `limit` beside it, which it begins anew";
type Period = LimitReset | null | undefined;

/** For what is made with both, `usage_limit_type` being another name; a change may rely on the limit there is. */
export function demandLimit(
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

/**
 * A limit and what was spent, in euros; days, weeks and months are UTC. `byok_usage` is what providers charge the
 * organisation itself for requests with its own credentials.
 */
export const spendingFields = {
  limit: z.number().nullable(),
  limit_remaining: z.number().nullable(),
  limit_reset: LimitReset.nullable(),
  usage: z.number(),
  usage_daily: z.number(),
  usage_weekly: z.number(),
  usage_monthly: z.number(),
  byok_usage: z.number(),
  byok_usage_daily: z.number(),
  byok_usage_weekly: z.number(),
  byok_usage_monthly: z.number(),
};

/** Requests a key may make in one minute. */
export const RequestsPerMinute = z
  .int("must be a whole number")
  .min(1, "must be 1 or more")
  .max(1_000_000, "may be 1,000,000 at most");

const settings = {
  include_byok_in_limit: z.boolean(),
  /** `null` = the installation's default. */
  requests_per_minute: z.int().nullable(),
};

const effectiveLimit = z
  .number()
  .nullable()
  .describe(
    "Of all limits that bind the key — its own, those of the keys that made it, its workspace's — the one of which the " +
      "least is left; `limit_remaining` is what is left of it. Null when nothing limits the key",
  );

/** An API key as lists show it: never the key itself. Amounts are euros; days, weeks and months are UTC. */
export const ApiKey = z
  .object({
    id: Uuid,
    hash: KeyHash,
    name: z.string(),
    label: z.string(),
    ...spendingFields,
    effective_limit: effectiveLimit,
    ...settings,
    permissions: z.array(Permission),
    /** `null` = every model, `[]` = none. */
    allowed_models: z.array(z.string()).nullable(),
    workspace_id: Uuid.nullable(),
    creator_user_id: z.string(),
    /** Of the application that asked for it over the PKCE flow; `null` for a key somebody made. */
    app_host: z.string().nullable(),
    /** The limited key that made it: the two spend from one limit. */
    parent_hash: KeyHash.nullable(),
    disabled: z.boolean(),
    expires_at: Timestamp.nullable(),
    last_used: Timestamp.nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: "ApiKey" });
export type ApiKey = z.infer<typeof ApiKey>;

/** A new key with its plain text, which is shown this once. */
export const CreatedKey = data(ApiKey).extend({ key: z.string() });
export type CreatedKey = z.infer<typeof CreatedKey>;

/** What its owner decides of a key, when it is made and afterwards. */
const ownersChoice = {
  workspace_id: Uuid.nullish(),
  permissions: Permissions.optional(),
  allowed_models: Models.nullish(),
  limit: KeyLimit.nullish(),
  limit_reset: LimitReset.nullish(),
  include_byok_in_limit: z.boolean().optional(),
  requests_per_minute: RequestsPerMinute.nullish(),
  expires_at: KeyExpiry.nullish(),
};

export const ApiKeyCreate = z
  .strictObject({
    name: KeyName,
    /** The service account that shall own it; absent = yourself. */
    service_account_id: Uuid.nullish(),
    ...ownersChoice,
    disabled: z.boolean().default(false),
  })
  .superRefine(demandLimit);
export type ApiKeyCreate = z.infer<typeof ApiKeyCreate>;

/** Only what is sent changes; `null` clears. */
export const ApiKeyUpdate = z.strictObject({
  hash: KeyHash,
  name: KeyName.optional(),
  ...ownersChoice,
  disabled: z.boolean().optional(),
});
export type ApiKeyUpdate = z.infer<typeof ApiKeyUpdate>;

/** Where an application asked from, as a browser writes it: in punycode, and with its port unless that is the usual one. */
export const AppHost = z.string().min(1, "must not be empty").max(300, "may have 300 characters at most");

export const ApiKeyListQuery = Paging.extend({
  include_disabled: QueryBoolean.optional(),
  workspace_id: Uuid.optional(),
  app_host: AppHost.optional(),
});
export type ApiKeyListQuery = z.infer<typeof ApiKeyListQuery>;

/** What a key is called, for choosing one and for naming one. */
export const NamedKey = z.object({ id: Uuid, name: z.string() });

/** What the key of a request may do and has spent. */
export const KeyInfo = z
  .object({
    label: z.string(),
    name: z.string(),
    hash: KeyHash,
    ...spendingFields,
    effective_limit: effectiveLimit,
    ...settings,
    permissions: z.array(Permission),
    allowed_models: z.array(z.string()).nullable(),
    workspace_id: Uuid.nullable(),
    creator_user_id: z.string(),
    expires_at: Timestamp.nullable(),
    is_free_tier: z.boolean(),
    is_management_key: z.boolean(),
  })
  .meta({ id: "KeyInfo" });
export type KeyInfo = z.infer<typeof KeyInfo>;
