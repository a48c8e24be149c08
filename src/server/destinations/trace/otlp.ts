import { JsonTraceSerializer, ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";
import { z } from "zod";
import { version } from "#server/platform/version.ts";
import type { DestinationResponse } from "../kind.ts";
import { type Attributes, type AttributeValue, attributesOf } from "./attributes.ts";
import type { Trace } from "./trace.ts";

type Span = Parameters<typeof JsonTraceSerializer.serializeRequest>[0][number];

/** What a tool requires in addition to the conventions' attributes. */
export interface OtlpOptions {
  readonly resource?: Attributes;
  readonly attributes?: (trace: Trace) => Attributes;
  /** The id of the parent span, if the request named a trace. */
  readonly rootAttributes?: (trace: Trace) => Attributes;
}

const spanKind = { internal: 0, client: 2 } as const;
const spanStatus = { unset: 0, error: 2 } as const;
const sampled = 1;

/** Seconds and nanoseconds. */
const time = (ms: number): [number, number] => [Math.floor(ms / 1000), (ms % 1000) * 1_000_000];

const mutable = (attributes: Attributes): Record<string, string | number | boolean | string[]> =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, value]: [string, AttributeValue]) => [
      name,
      typeof value === "object" ? [...value] : value,
    ]),
  );

const scope = { name: "portolan", version };

function resourceOf(attributes: Attributes): Span["resource"] {
  const resource: Span["resource"] = {
    attributes: mutable({ "service.name": "portolan", "service.version": version, ...attributes }),
    asyncAttributesPending: false,
    merge: () => resource,
    getRawAttributes: () => Object.entries(resource.attributes),
  };
  return resource;
}

interface SpanFields {
  readonly name: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly kind: number;
  readonly attributes: Attributes;
}

function spanOf(trace: Trace, resource: Span["resource"], fields: SpanFields): Span {
  const contextOf = (spanId: string) => ({ traceId: trace.traceId, spanId, traceFlags: sampled });
  const { parentSpanId } = fields;
  return {
    name: fields.name,
    kind: fields.kind,
    spanContext: () => contextOf(fields.spanId),
    ...(parentSpanId !== null && { parentSpanContext: contextOf(parentSpanId) }),
    startTime: time(trace.startMs),
    endTime: time(trace.endMs),
    duration: time(trace.endMs - trace.startMs),
    status: trace.ok
      ? { code: spanStatus.unset }
      : { code: spanStatus.error, message: trace.facts.error_code ?? trace.facts.status },
    attributes: mutable(fields.attributes),
    links: [],
    events: [],
    ended: true,
    resource,
    instrumentationScope: scope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

function spansOf(traces: readonly Trace[], options: OtlpOptions): Span[] {
  const resource = resourceOf(options.resource ?? {});
  return traces.flatMap((trace) => {
    const { root } = trace;
    const generation = spanOf(trace, resource, {
      name: trace.name,
      spanId: trace.spanId,
      parentSpanId: root?.spanId ?? trace.parentSpanId,
      kind: spanKind.client,
      attributes: { ...attributesOf(trace), ...options.attributes?.(trace) },
    });
    if (!root) return [generation];
    const around = spanOf(trace, resource, {
      name: root.name,
      spanId: root.spanId,
      parentSpanId: trace.parentSpanId,
      kind: spanKind.internal,
      attributes: options.rootAttributes?.(trace) ?? {},
    });
    return [around, generation];
  });
}

export type OtlpEncoding = "http/json" | "http/protobuf";

/**
 * Protobuf's JSON has 64-bit integers as text, which the serializer writes as numbers. Quotes inside of texts are
 * escaped, so a match is a member; other numbers are doubles.
 */
const integersAsText = (json: string): string =>
  json.replace(/"intValue":(-?\d+(?:e\+\d+)?)/g, (_, digits: string) =>
    Number.isSafeInteger(Number(digits)) ? `"intValue":"${digits}"` : `"doubleValue":${digits}`,
  );

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const encodings = {
  "http/json": {
    type: "application/json",
    serializer: JsonTraceSerializer,
    finish: (bytes: Uint8Array) => Buffer.from(integersAsText(asBuffer(bytes).toString())),
  },
  "http/protobuf": { type: "application/x-protobuf", serializer: ProtobufTraceSerializer, finish: asBuffer },
} as const;

export interface OtlpBody {
  readonly contentType: string;
  readonly body: Buffer;
  readonly spans: number;
}

/** An OTLP/HTTP trace request; an empty one without traces. */
export function otlpBody(
  traces: readonly Trace[],
  encoding: OtlpEncoding,
  options: OtlpOptions = {},
): OtlpBody {
  const { type, serializer, finish } = encodings[encoding];
  const spans = spansOf(traces, options);
  const bytes = serializer.serializeRequest(spans);
  if (!bytes) throw new Error("OTLP could not be written");
  return { contentType: type, body: finish(bytes), spans: spans.length };
}

/** In JSON 64-bit integers are text, and a tool's own answer has any form. */
const PartialSuccess = z.object({
  partialSuccess: z.object({ rejectedSpans: z.coerce.number().int().min(0) }),
});

/** How many spans a receiver refused of an accepted request; 0 if its answer is not OTLP. */
export function refusedSpans({ headers, body }: Pick<DestinationResponse, "headers" | "body">): number {
  const isProtobuf = /protobuf/i.test(headers["content-type"] ?? "");
  const { serializer } = encodings[isProtobuf ? "http/protobuf" : "http/json"];
  try {
    const answer = PartialSuccess.safeParse(serializer.deserializeResponse(body));
    return answer.data?.partialSuccess.rejectedSpans ?? 0;
  } catch {
    return 0;
  }
}

/** The result of a request with this many spans, including a partial refusal. */
export function withRefused(response: DestinationResponse, spans: number): DestinationResponse {
  const count = refusedSpans(response);
  return count === 0 ? response : { ...response, refused: { count, of: spans } };
}
