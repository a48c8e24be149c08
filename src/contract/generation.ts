import { z } from "zod";
import { generationSorts, generationStatuses } from "./activity.ts";
import { AskedTime, inOrder, Timestamp, Uuid } from "./common.ts";
import { list } from "./list.ts";
import { ParameterChanges } from "./parameter-changes.ts";
import { PresetReference } from "./preset-reference.ts";

export const GenerationStatus = z.enum(generationStatuses);
export type GenerationStatus = z.infer<typeof GenerationStatus>;

const Count = z.number().int();
/** An exact decimal as text, never a float. */
const Money = z.string();

/** Which generations of the organisation are meant; what is left out does not narrow. */
export const GenerationFilter = z.object({
  from: AskedTime.optional(),
  to: AskedTime.optional(),
  status: list(GenerationStatus).max(GenerationStatus.options.length).optional(),
  /** As served; as asked for when nothing served it. */
  model: z.string().min(1).max(200).optional(),
  provider: z.string().min(1).max(200).optional(),
  api_key_id: Uuid.optional(),
  /** `support` for every version, `support@3` for one. */
  preset: PresetReference.optional(),
  error_code: z.string().min(1).max(60).optional(),
  /** Where the provider runs models, as it was recorded: `DE`, `EU`. */
  region: z.string().min(1).max(60).optional(),
  app_title: z.string().min(1).max(256).optional(),
  user_reference: z.string().min(1).max(512).optional(),
  /** A generation's, request's or session's whole id. */
  find: z.string().trim().min(1).max(256).optional(),
});
export type GenerationFilter = z.infer<typeof GenerationFilter>;

/** The place of a row in the list: everything after it is older. */
export const GenerationCursor = z.object({ started_at: AskedTime, id: Uuid });
export type GenerationCursor = z.infer<typeof GenerationCursor>;

/** What a list can be sorted by, greatest first; without it, newest first. */
export const GenerationSort = z.enum(generationSorts);
export type GenerationSort = z.infer<typeof GenerationSort>;

export const GenerationListQuery = GenerationFilter.extend({
  after: GenerationCursor.optional(),
  sort: GenerationSort.optional(),
  limit: z.number().int().min(1).max(1_000).default(50),
}).superRefine(inOrder);
export type GenerationListQuery = z.infer<typeof GenerationListQuery>;

/** One line of the log. */
export const GenerationLine = z.object({
  id: Uuid,
  started_at: Timestamp,
  operation: z.string(),
  model: z.string(),
  provider: z.string().nullable(),
  api_key_id: Uuid,
  status: GenerationStatus,
  error_code: z.string().nullable(),
  http_status: Count,
  streamed: z.boolean(),
  attempts: Count,
  tokens_in: Count,
  tokens_out: Count,
  cost_eur: Money,
  latency_ms: Count.nullable(),
  duration_ms: Count,
  region: z.string().nullable(),
  app_title: z.string().nullable(),
  user_reference: z.string().nullable(),
  session_id: z.string().nullable(),
  /** Values of the organisation's tags, by name. */
  tags: z.record(z.string(), z.string()),
});
export type GenerationLine = z.infer<typeof GenerationLine>;

export const GenerationPage = z.object({
  data: z.array(GenerationLine),
  /** Where the next page begins; null on the last one. A page before it may have fewer rows than asked for, or none. */
  next: GenerationCursor.nullable(),
  /** Of a sorted list: the time from which on requests were compared; null if all were. */
  sorted_from: Timestamp.nullable(),
});
export type GenerationPage = z.infer<typeof GenerationPage>;

/** What was tried, one after the other. */
export const RecordedAttempts = z.array(
  z.object({
    endpoint: z.string(),
    provider: z.string(),
    outcome: z.string(),
    status: Count.nullable(),
    duration_ms: z.number(),
    /** The provider's operation that was used; absent if it is the request's own. */
    api: z.string().optional(),
    service_tier: z.string().optional(),
    /** Absent if the fields of the request were sent as they came. */
    parameters: ParameterChanges.optional(),
  }),
);

/** Why the generation went where it went, as the router recorded it. */
export const RecordedDecision = z.object({
  models: z
    .array(
      z.object({
        model: z.string(),
        strategy: z.string(),
        rules: z.array(z.string()),
        rule_count: Count,
        ranked: z.array(z.string()),
        /** The preferences of the rules and of the request together; absent in records of earlier versions. */
        preferences: z.record(z.string(), z.unknown()).optional(),
        excluded: z.array(
          z.object({
            endpoint: z.string(),
            excluded_by: z.string(),
            /** A rule's id, else a scope. */
            set_by: z.string(),
          }),
        ),
      }),
    )
    .default([]),
});
export type RecordedDecision = z.infer<typeof RecordedDecision>;

export const GenerationDetail = GenerationLine.extend({
  request_id: z.string(),
  workspace_id: z.string().nullable(),
  model_requested: z.string(),
  endpoint: z.string().nullable(),
  strategy: z.string(),
  finish_reason: z.string().nullable(),
  native_finish_reason: z.string().nullable(),
  tries: RecordedAttempts,
  decision: RecordedDecision,
  parameters: z.record(z.string(), z.unknown()),
  /** What the request holds and asks for besides text, such as `image`. */
  input_modalities: z.array(z.string()),
  output_modalities: z.array(z.string()),
  usage: z.object({
    prompt_tokens: Count,
    completion_tokens: Count,
    cached_tokens: Count,
    cache_write_tokens: Count,
    reasoning_tokens: Count,
    search_units: Count,
    estimated: z.boolean(),
    implausible: z
      .boolean()
      .describe("The provider reported more than the request could take, or no counts: the bound is billed"),
  }),
  cost: z.object({
    usd: Money,
    eur: Money,
    upstream_usd: Money,
    /** Parts of what the provider charges, by what was paid for, in the currency of its price. */
    details: z.record(z.string(), Money),
    details_currency: z.enum(["USD", "EUR"]),
    price_version: z.string().nullable(),
    usd_per_eur: z.string(),
    rate_date: z.string(),
    is_byok: z.boolean(),
  }),
});
export type GenerationDetail = z.infer<typeof GenerationDetail>;

/** How many generations began in each time bucket of `step_ms`, the oldest first. */
export const GenerationVolume = z.object({
  step_ms: Count,
  /** Null: everything is counted. With a filter by preset or error code, only the newest requests are, from this time. */
  counted_from: Timestamp.nullable(),
  buckets: z.array(
    z.object({ start: Timestamp, completed: Count, failed: Count, cancelled: Count, interrupted: Count }),
  ),
});
export type GenerationVolume = z.infer<typeof GenerationVolume>;

/** The volume needs an end to either side. */
export const GenerationVolumeQuery = GenerationFilter.required({ from: true, to: true }).superRefine(inOrder);

/** A generation as the request that would ask for it again. */
export const GenerationReplay = z.object({
  operation: z.string(),
  /** The body of the operation, as far as it is known. */
  body: z.record(z.string(), z.unknown()),
  /** Whether it includes the content: only stored responses have it. */
  content_kept: z.boolean(),
  /** The answer as text, if it was stored. */
  answer: z.string().nullable(),
});
export type GenerationReplay = z.infer<typeof GenerationReplay>;
