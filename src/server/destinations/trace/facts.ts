import { z } from "zod";
import type { TraceContent } from "#contract/trace-content.ts";

/** What a trace takes of a generation's record, spelled as there. Never content. */
export interface GenerationFacts {
  readonly id: string;
  readonly request_id: string;
  readonly org_id: string;
  readonly user_id: string;
  readonly api_key_id: string;
  readonly operation: string;
  readonly model_requested: string;
  readonly model: string | null;
  readonly provider: string | null;
  readonly endpoint: string | null;
  readonly region: string | null;
  readonly status: string;
  readonly error_code: string | null;
  readonly http_status: number;
  readonly finish_reason: string | null;
  readonly native_finish_reason: string | null;
  readonly streamed: boolean;
  readonly strategy: string;
  readonly attempts: unknown;
  readonly decision: unknown;
  readonly parameters: unknown;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly cached_tokens: number;
  readonly cache_write_tokens: number;
  readonly reasoning_tokens: number;
  readonly search_units: number;
  readonly usage_estimated: boolean;
  readonly usage_implausible: boolean;
  readonly is_byok: boolean;
  readonly fx_usd_per_eur: string;
  readonly fx_date: string;
  readonly cost_pico_usd: string;
  readonly cost_pico_eur: string;
  readonly upstream_pico_usd: string;
  readonly user_reference: string | null;
  readonly session_id: string | null;
  readonly app_title: string | null;
  readonly started_at: string;
  readonly latency_ms: number | null;
  readonly duration_ms: number;
}

const Text = z.string().max(512);

/** What a client says about the trace it wants, in `trace`, `metadata` and around them. */
export interface TraceLabels {
  readonly keyName: string;
  readonly workspaceId: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly traceId: string | null;
  readonly parentSpanId: string | null;
  readonly traceName: string | null;
  readonly spanName: string | null;
  readonly generationName: string | null;
}

/** What a delivery keeps beside the generation's record. Content is null when it is held back. */
export interface TracePayload {
  readonly labels: TraceLabels;
  readonly content: TraceContent | null;
}

const special = {
  trace_id: "traceId",
  parent_span_id: "parentSpanId",
  trace_name: "traceName",
  span_name: "spanName",
  generation_name: "generationName",
} as const;

export interface LabelledRequest {
  readonly metadata?: Readonly<Record<string, unknown>> | null;
  readonly trace?: Readonly<Record<string, unknown>> | null;
}

/** Reads the special keys of `trace`; its other keys and `metadata` become the trace's metadata. */
export function labelsOf(
  { metadata, trace }: LabelledRequest,
  key: Pick<TraceLabels, "keyName" | "workspaceId">,
): TraceLabels {
  const own: Record<string, unknown> = { ...metadata };
  const named: Record<string, string | null> = {};
  for (const [name, value] of Object.entries(trace ?? {})) {
    const text = Object.hasOwn(special, name) ? Text.safeParse(value).data : undefined;
    if (text === undefined) own[name] = value;
    else named[special[name as keyof typeof special]] = text;
  }
  return {
    ...key,
    metadata: own,
    traceId: named.traceId ?? null,
    parentSpanId: named.parentSpanId ?? null,
    traceName: named.traceName ?? null,
    spanName: named.spanName ?? null,
    generationName: named.generationName ?? null,
  };
}
