import { z } from "zod";
import type { TraceContent } from "#contract/trace-content.ts";
import type { AttemptRecord, GenerationRow } from "#server/db/index.ts";

/** The fields of a generation's record that decide who gets its traces. Never content. */
export type GenerationSummary = Omit<
  GenerationRow,
  | "attempts"
  | "attempt_ms"
  | "decision_hash"
  | "ranked"
  | "cost_parts"
  | "budget_counters"
  | "decision_basis"
  | "workspace_id"
  | "input_modalities"
  | "output_modalities"
  | "cancelled"
  | "credential_id"
  | "price_version"
>;

/** The fields of a generation's record that traces use. Never content. */
export interface GenerationFacts extends GenerationSummary {
  readonly attempts: readonly AttemptRecord[];
  /** The rules that applied to the first model, the widest first. */
  readonly rule_ids: readonly string[];
}

const Text = z.string().max(512);

/** The trace options of a client's request, in `trace`, `metadata` and other fields. */
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

/** What a delivery stores in addition to the generation's record. Content is null if it must not be sent. */
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
