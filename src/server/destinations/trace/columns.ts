import { isoTime } from "#server/platform/clock.ts";
import { attributesOf } from "./attributes.ts";
import type { Trace } from "./trace.ts";

const json = (value: unknown): string => JSON.stringify(value ?? null);

/** One row for analytics databases. The last five columns are JSON text. */
export const columnsOf = (trace: Trace) => ({
  TRACE_ID: trace.traceId,
  SPAN_ID: trace.spanId,
  PARENT_SPAN_ID: trace.root?.spanId ?? trace.parentSpanId,
  USER_ID: trace.facts.user_reference,
  SESSION_ID: trace.facts.session_id,
  /** UTC without the zone's letter, which not every database reads. */
  TIMESTAMP: isoTime(trace.startMs).replace("T", " ").replace("Z", ""),
  MODEL: trace.facts.model ?? trace.facts.model_requested,
  PROVIDER_NAME: trace.facts.provider,
  API_KEY_NAME: trace.labels.keyName,
  STATUS: trace.ok ? "ok" : "error",
  LEVEL: trace.ok ? "DEFAULT" : "ERROR",
  FINISH_REASON: trace.facts.finish_reason,
  SPAN_TYPE: "GENERATION",
  PROMPT_TOKENS: trace.facts.prompt_tokens,
  COMPLETION_TOKENS: trace.facts.completion_tokens,
  TOTAL_TOKENS: trace.facts.prompt_tokens + trace.facts.completion_tokens,
  TOTAL_COST: trace.costUsd,
  DURATION_MS: trace.facts.duration_ms,
  INPUT: json(trace.content?.input),
  OUTPUT: json(trace.content?.output),
  METADATA: json(trace.metadata),
  MODEL_PARAMETERS: json(trace.facts.parameters),
  ATTRIBUTES: json(attributesOf(trace)),
});

export type TraceColumns = ReturnType<typeof columnsOf>;
