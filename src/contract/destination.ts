import { z } from "zod";
import { answered } from "./answered.ts";
import { AnyJson, recordOf } from "./bounded.ts";
import { Paging, Timestamp, Uuid } from "./common.ts";
import { FilterRules } from "./destination-filter.ts";
import { list } from "./list.ts";
import { Residency } from "./residency.ts";

/** What stands in answers in the place of a secret; sent back, it keeps the stored one. */
export const secretMask = "********";

const Name = z.string().trim().min(1, "must not be empty").max(255, "may have 255 characters at most");
const rateMessage = "must be a decimal from 0.0001 to 1 such as 0.25 (to send nothing use enabled: false)";

/** `"1"`, `"0.25"`: a decimal as text, without needless zeros. Numbers are read too. */
export const SamplingRate = z
  .union([z.string().max(32, rateMessage), z.number()], { error: rateMessage })
  .transform(String)
  .pipe(
    z
      .string()
      .max(32, rateMessage)
      .regex(/^(0?\.\d{1,4}0*|1(\.0+)?)$/, rateMessage)
      .refine((text) => Number(text) >= 0.0001, rateMessage),
  )
  .transform((text) => String(Number(text)));

/** Keys of a type's own; which ones stands in `GET /broadcast-destinations/types`. */
const Config = recordOf(AnyJson, { max: 100 });
const TypeName = z.string().max(64);
const KeyFilter = list(Uuid).max(1000, "may name 1,000 keys at most").nullable();

/** How sending to a destination goes. */
const DestinationHealth = z.object({
  state: z.enum(["active", "paused", "stopped", "disabled"]),
  consecutive_failures: z.number().int(),
  failing_since: Timestamp.nullable(),
  paused_until: Timestamp.nullable(),
  stopped_reason: z.string().nullable(),
  last_error: z.string().nullable(),
  last_delivered_at: Timestamp.nullable(),
  /** Traces given up because too many waited. */
  dropped: z.number().int(),
});

export const Destination = z
  .object({
    id: Uuid,
    name: z.string(),
    type: z.string(),
    config: answered(Config),
    org_id: Uuid,
    workspace_id: Uuid.nullable(),
    privacy_mode: z.boolean(),
    sampling_rate: z.string(),
    enabled: z.boolean(),
    api_key_filter: z.array(Uuid).nullable(),
    filter_rules: answered(FilterRules).nullable(),
    residency: z.string().nullable(),
    health: DestinationHealth,
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: "BroadcastDestination" });
export type Destination = z.infer<typeof Destination>;

export const DestinationCreate = z.strictObject({
  name: Name,
  type: TypeName,
  config: Config,
  org_id: Uuid.nullish(),
  workspace_id: Uuid.nullish(),
  privacy_mode: z.boolean().default(false),
  sampling_rate: SamplingRate.default("1"),
  enabled: z.boolean().default(true),
  api_key_filter: KeyFilter.optional(),
  filter_rules: FilterRules.nullish(),
  residency: Residency.nullish(),
});
export type DestinationCreate = z.infer<typeof DestinationCreate>;

const immutable = new Set(["type", "org_id", "id"]);

/** Only what is sent changes; `config` is merged key by key, where `null` removes and a masked secret stays. */
export const DestinationUpdate = z.strictObject(
  {
    id: Uuid,
    name: Name.optional(),
    config: Config.optional(),
    workspace_id: Uuid.nullish(),
    privacy_mode: z.boolean().optional(),
    sampling_rate: SamplingRate.optional(),
    enabled: z.boolean().optional(),
    api_key_filter: KeyFilter.optional(),
    filter_rules: FilterRules.nullish(),
    residency: Residency.nullish(),
  },
  {
    error: (issue) =>
      issue.code === "unrecognized_keys" && issue.keys.some((key) => immutable.has(key))
        ? "cannot be changed; delete the destination and create another"
        : undefined,
  },
);
export type DestinationUpdate = z.infer<typeof DestinationUpdate>;

export const DestinationListQuery = Paging.extend({ workspace_id: Uuid.optional() });
export type DestinationListQuery = z.infer<typeof DestinationListQuery>;

export const DestinationTestRequest = z.object({
  type: TypeName,
  config: Config,
  name: z.string().max(255).optional(),
});
export type DestinationTestRequest = z.infer<typeof DestinationTestRequest>;

/** `status` is what the destination answered; 0 when it could not be asked. */
export const DestinationTest = z
  .object({ success: z.boolean(), status: z.number().int(), message: z.string() })
  .meta({ id: "BroadcastTestResult" });
export type DestinationTest = z.infer<typeof DestinationTest>;

/** A type, and the JSON schema of its `config`: fields marked `secret` are write-only. */
export const DestinationType = z
  .object({
    type: z.string(),
    name: z.string(),
    description: z.string(),
    documentation_url: z.string(),
    protocol: z.string(),
    config_schema: z.record(z.string(), z.json()),
    secrets: z.array(z.string()),
  })
  .meta({ id: "BroadcastDestinationType" });
export type DestinationType = z.infer<typeof DestinationType>;

export const DeliveryStatus = z.enum(["pending", "delivered", "failed", "dropped"]);
export type DeliveryStatus = z.infer<typeof DeliveryStatus>;

/** Whether what was asked and answered went along, or why it was held back. */
export const DeliveryContent = z.enum(["sent", "private", "residency", "none"]);
export type DeliveryContent = z.infer<typeof DeliveryContent>;

export const Delivery = z
  .object({
    id: Uuid,
    generation_id: Uuid,
    status: DeliveryStatus,
    content: DeliveryContent,
    attempts: z.number().int(),
    next_attempt_at: Timestamp.nullable(),
    response_code: z.number().int().nullable(),
    reason: z.string().nullable(),
    created_at: Timestamp,
    finished_at: Timestamp.nullable(),
  })
  .meta({ id: "BroadcastDelivery" });
export type Delivery = z.infer<typeof Delivery>;

export const DeliveryListQuery = Paging.extend({ id: Uuid, status: DeliveryStatus.optional() });
export type DeliveryListQuery = z.infer<typeof DeliveryListQuery>;
