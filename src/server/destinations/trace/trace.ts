import { createHash } from "node:crypto";
import { apis, inferenceOperations } from "#contract/inference-operations.ts";
import type { TraceContent } from "#contract/trace-content.ts";
import { numberFromPico } from "#server/platform/money.ts";
import type { GenerationFacts, TracePayload } from "./facts.ts";

export interface Trace {
  /** The delivery's id: equal for every attempt. */
  readonly deliveryId: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  /** The parent span of the generation, if the request named a trace. */
  readonly root: { readonly spanId: string; readonly name: string } | null;
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly firstContentMs: number | null;
  readonly ok: boolean;
  readonly costUsd: number;
  readonly costEur: number;
  readonly facts: GenerationFacts;
  readonly labels: TracePayload["labels"];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly content: TraceContent | null;
}

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Valid ids are used in lower case; others (and zeros, which OTLP forbids) are hashed. */
function hexId(given: string, length: number): string {
  const text = given.toLowerCase().replaceAll("-", "");
  const fits = text.length === length && /^[0-9a-f]+$/.test(text) && /[1-9a-f]/.test(text);
  return fits ? text : digest(given).slice(0, length);
}

/** The span id of a generation: the random half of its own id. */
export const spanIdOf = (generationId: string): string => generationId.replaceAll("-", "").slice(16);

/** The trace id: that of the request, else the generation's id. */
export const traceIdOf = (generationId: string, given: string | null): string =>
  given ? hexId(given, 32) : generationId.replaceAll("-", "");

const original = (name: string, given: string | null, used: string | null) =>
  given !== null && given !== used ? { [name]: given } : {};

const traceNames: ReadonlyMap<string, string> = new Map(
  apis.map((api) => [api, inferenceOperations[api].traceName]),
);
export const operationName = ({ operation }: GenerationFacts): string =>
  traceNames.get(operation) ?? operation;

/** The trace of one finished generation. Pure: equal input gives equal ids. */
export function traceOf(
  deliveryId: string,
  facts: GenerationFacts,
  { labels, content }: TracePayload,
): Trace {
  const startMs = Date.parse(facts.started_at);
  const traceId = traceIdOf(facts.id, labels.traceId);
  const given = labels.parentSpanId === null ? null : hexId(labels.parentSpanId, 16);
  const rootName = given === null ? (labels.traceName ?? labels.spanName) : labels.spanName;
  const root = rootName === null ? null : { spanId: digest(`${facts.id}:root`).slice(0, 16), name: rootName };
  return {
    deliveryId,
    traceId,
    spanId: spanIdOf(facts.id),
    parentSpanId: given,
    root,
    name: labels.generationName ?? `${operationName(facts)} ${facts.model ?? facts.model_requested}`,
    startMs,
    endMs: startMs + facts.duration_ms,
    firstContentMs: facts.latency_ms === null ? null : startMs + facts.latency_ms,
    ok: facts.status === "completed",
    costUsd: numberFromPico(BigInt(facts.cost_pico_usd)),
    costEur: numberFromPico(BigInt(facts.cost_pico_eur)),
    facts,
    labels,
    metadata: {
      ...labels.metadata,
      ...original("trace_id", labels.traceId, traceId),
      ...original("parent_span_id", labels.parentSpanId, given),
    },
    content,
  };
}
