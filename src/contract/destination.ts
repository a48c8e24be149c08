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
  state: z
    .enum(["active", "paused", "stopped", "disabled"])
    .describe(
      "`paused` after repeated failures until `paused_until`; `stopped` until the destination is changed; `disabled` if `enabled` is false.",
    ),
  consecutive_failures: z.number().int().describe("Number of failed requests since the last successful one."),
  failing_since: Timestamp.nullable().describe(
    "Time of the first of these failures; null if the last request succeeded.",
  ),
  paused_until: Timestamp.nullable().describe(
    "Time until which nothing is sent after failures, possibly in the past; null if sending was not paused.",
  ),
  stopped_reason: z
    .string()
    .nullable()
    .describe("Why nothing is sent until the destination is changed; null if it is not stopped."),
  last_error: z
    .string()
    .nullable()
    .describe("Reason of the last failure, or of a partial refusal; null if the last request was accepted."),
  last_delivered_at: Timestamp.nullable().describe(
    "Time of the last successful delivery; null if there was none.",
  ),
  dropped: z
    .number()
    .int()
    .describe("Number of traces dropped because more than 100,000 were waiting for delivery."),
});

const privacyMode = "Whether prompts and answers are left out of the traces.";
const samplingRate =
  "Share of generations whose traces are sent, as a decimal string from `0.0001` to `1`. Those of one session are all sent or all left out.";
const residency =
  "Where the destination keeps its data: `eu`, `eea`, `eu_adequate` or an ISO 3166-1 alpha-2 country code. It gets no prompts and answers of requests whose `data_residency` does not allow this place.";

export const Destination = z
  .object({
    id: Uuid.describe("Unique ID of the destination."),
    name: z.string().describe("Name of the destination."),
    type: z.string().describe("Type of the destination, such as `webhook` or `otel-collector`."),
    config: answered(Config).describe(
      `Settings of the destination's type, with secrets masked as \`${secretMask}\`.`,
    ),
    org_id: Uuid.describe("ID of the organisation the destination belongs to."),
    workspace_id: Uuid.nullable().describe(
      "ID of the workspace whose traces are sent; null for the whole organisation.",
    ),
    privacy_mode: z.boolean().describe(privacyMode),
    sampling_rate: z.string().describe(samplingRate),
    enabled: z.boolean().describe("Whether traces are sent."),
    api_key_filter: z
      .array(Uuid)
      .nullable()
      .describe("IDs of the API keys whose traces are sent; null for all keys."),
    filter_rules: answered(FilterRules)
      .nullable()
      .describe("Conditions on the generations whose traces are sent; null for none."),
    residency: z
      .string()
      .nullable()
      .describe(
        "Where the destination keeps its data: `eu`, `eea`, `eu_adequate` or a country code in lower case; null if not stated.",
      ),
    health: DestinationHealth.describe("State of the delivery to the destination."),
    created_at: Timestamp.describe("Time the destination was created."),
    updated_at: Timestamp.describe("Time the destination was last changed."),
  })
  .meta({ id: "BroadcastDestination" });
export type Destination = z.infer<typeof Destination>;

export const DestinationCreate = z.strictObject({
  name: Name.describe("Name of the destination, 1 to 255 characters."),
  type: TypeName.describe("Type of the destination, one of `GET /broadcast-destinations/types`."),
  config: Config.describe("Settings of the type, as its `config_schema` describes them."),
  org_id: Uuid.nullish().describe(
    "ID of your organisation. Not required: a destination always belongs to the organisation of the caller.",
  ),
  workspace_id: Uuid.nullish().describe(
    "ID of the workspace whose traces are sent; the whole organisation if omitted. Keys of a workspace can only use theirs, which is their default.",
  ),
  privacy_mode: z.boolean().default(false).describe(privacyMode),
  sampling_rate: SamplingRate.default("1").describe(samplingRate),
  enabled: z.boolean().default(true).describe("Whether traces are sent."),
  api_key_filter: KeyFilter.optional().describe(
    "IDs of the API keys whose traces are sent, at most 1,000; null or an empty list for all keys.",
  ),
  filter_rules: FilterRules.nullish().describe("Conditions on the generations whose traces are sent."),
  residency: Residency.nullish().describe(residency),
});
export type DestinationCreate = z.infer<typeof DestinationCreate>;

const immutable = new Set(["type", "org_id", "id"]);

/** Only what is sent changes; `config` is merged key by key, where `null` removes and a masked secret stays. */
export const DestinationUpdate = z.strictObject(
  {
    id: Uuid.describe("ID of the destination."),
    name: Name.optional().describe("New name, 1 to 255 characters."),
    config: Config.optional().describe(
      `Settings to change. Null removes a setting; a secret that is omitted or sent as \`${secretMask}\` is kept.`,
    ),
    workspace_id: Uuid.nullish().describe(
      "ID of the workspace whose traces are sent; null for the whole organisation.",
    ),
    privacy_mode: z.boolean().optional().describe(privacyMode),
    sampling_rate: SamplingRate.optional().describe(samplingRate),
    enabled: z.boolean().optional().describe("Whether traces are sent."),
    api_key_filter: KeyFilter.optional().describe(
      "IDs of the API keys whose traces are sent, at most 1,000; null or an empty list for all keys.",
    ),
    filter_rules: FilterRules.nullish().describe(
      "Conditions that replace the existing ones as a whole; null removes them.",
    ),
    residency: Residency.nullish().describe(`${residency} Null if it is not known.`),
  },
  {
    error: (issue) =>
      issue.code === "unrecognized_keys" && issue.keys.some((key) => immutable.has(key))
        ? "cannot be changed; delete the destination and create another"
        : undefined,
  },
);
export type DestinationUpdate = z.infer<typeof DestinationUpdate>;

export const DestinationListQuery = Paging.extend({
  workspace_id: Uuid.describe(
    "ID of a workspace. Returns only its destinations and those of the whole organisation.",
  ).optional(),
});
export type DestinationListQuery = z.infer<typeof DestinationListQuery>;

export const DestinationTestRequest = z.object({
  type: TypeName.describe("Type of the destination, one of `GET /broadcast-destinations/types`."),
  config: Config.describe("Settings of the type, as its `config_schema` describes them."),
  name: z.string().max(255).optional().describe("Name of the destination, which the test does not use."),
});
export type DestinationTestRequest = z.infer<typeof DestinationTestRequest>;

export const DestinationTest = z
  .object({
    success: z.boolean().describe("Whether the destination accepted the test."),
    status: z
      .number()
      .int()
      .describe("HTTP status of the destination's response, 0 if the destination could not be reached."),
    message: z.string().describe("Result in words, with advice if the test failed."),
  })
  .meta({ id: "BroadcastTestResult" });
export type DestinationTest = z.infer<typeof DestinationTest>;

export const DestinationType = z
  .object({
    type: z.string().describe("Identifier of the type, to be sent as `type` of a destination."),
    name: z.string().describe("Display name of the type."),
    description: z.string().describe("Short description of the type."),
    documentation_url: z.string().describe("URL of the product's documentation."),
    protocol: z.string().describe("Protocol or API in which traces are sent, such as `OTLP/JSON`."),
    config_schema: z
      .record(z.string(), z.json())
      .describe("JSON Schema of `config` for this type. Secrets are marked `writeOnly`."),
    secrets: z
      .array(z.string())
      .describe("Names of the `config` fields that are secret: they are stored encrypted and shown masked."),
  })
  .meta({ id: "BroadcastDestinationType" });
export type DestinationType = z.infer<typeof DestinationType>;

export const DeliveryStatus = z.enum(["pending", "delivered", "failed", "dropped"]);
export type DeliveryStatus = z.infer<typeof DeliveryStatus>;

export const DeliveryContent = z.enum(["sent", "private", "residency", "none"]);
export type DeliveryContent = z.infer<typeof DeliveryContent>;

export const Delivery = z
  .object({
    id: Uuid.describe("Unique ID of the delivery."),
    generation_id: Uuid.describe("ID of the generation whose trace is delivered."),
    status: DeliveryStatus.describe(
      "`pending` until it is delivered, `failed` if it was given up, `dropped` if too many traces were waiting.",
    ),
    content: DeliveryContent.describe(
      "Whether the trace contains prompts and answers: `sent` if it does; left out because of `privacy_mode` (`private`) or the request's `data_residency` (`residency`), or not available (`none`).",
    ),
    attempts: z.number().int().describe("Number of attempts so far."),
    next_attempt_at: Timestamp.nullable().describe("Time of the next attempt; null unless it is pending."),
    response_code: z
      .number()
      .int()
      .nullable()
      .describe("HTTP status of the last attempt; null if there was no response or no attempt yet."),
    reason: z
      .string()
      .nullable()
      .describe("Why the delivery failed, was dropped or has to be repeated; null if there was no failure."),
    created_at: Timestamp.describe(
      "Time the delivery was queued, for the last time if it was retried on request.",
    ),
    problem: z
      .string()
      .nullable()
      .describe("Why the stored delivery cannot be read; null if it can be read."),
    finished_at: Timestamp.nullable().describe(
      "Time it was delivered, failed or was dropped; null while it is pending.",
    ),
  })
  .meta({ id: "BroadcastDelivery" });
export type Delivery = z.infer<typeof Delivery>;

export const DeliveryListQuery = Paging.extend({
  id: Uuid.describe("ID of the destination."),
  status: DeliveryStatus.describe("Return only deliveries with this status.").optional(),
});
export type DeliveryListQuery = z.infer<typeof DeliveryListQuery>;
