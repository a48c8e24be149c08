import protobuf from "protobufjs";
import { z } from "zod";

// The messages of opentelemetry-proto 1.x that a trace request is made of, written from its .proto files: the last npm
// package with the official ones (otlp-proto-exporter-base 0.51.1) refuses today's API and knows no `flags`. Read by
// both, what we send was the same, attribute by attribute.
const schema = `
syntax = "proto3";
message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3;
  double double_value = 4; ArrayValue array_value = 5; } }
message ArrayValue { repeated AnyValue values = 1; }
message KeyValue { string key = 1; AnyValue value = 2; }
message Resource { repeated KeyValue attributes = 1; uint32 dropped_attributes_count = 2; }
message InstrumentationScope { string name = 1; string version = 2; }
message Status { string message = 2; int32 code = 3; }
message Span { bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; bytes parent_span_id = 4;
  string name = 5; int32 kind = 6; fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8;
  repeated KeyValue attributes = 9; Status status = 15; fixed32 flags = 16; }
message ScopeSpans { InstrumentationScope scope = 1; repeated Span spans = 2; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
message ExportTraceServiceRequest { repeated ResourceSpans resource_spans = 1; }`;

const Request = protobuf.parse(schema).root.lookupType("ExportTraceServiceRequest");

const Scalar = z.object({
  stringValue: z.string().optional(),
  boolValue: z.boolean().optional(),
  intValue: z
    .string()
    .regex(/^-?\d{1,19}$/)
    .optional(),
  doubleValue: z.number().optional(),
  arrayValue: z.object({ values: z.array(z.object({ stringValue: z.string() })) }).optional(),
});
const KeyValue = z.object({ key: z.string(), value: Scalar });
const hex = (length: number) => z.string().regex(new RegExp(`^[0-9a-f]{${length}}$`));
const Nanoseconds = z.string().regex(/^\d{19}$/);

const SpanJson = z.object({
  traceId: hex(32),
  spanId: hex(16),
  parentSpanId: hex(16).optional(),
  name: z.string().min(1),
  kind: z.number().int(),
  startTimeUnixNano: Nanoseconds,
  endTimeUnixNano: Nanoseconds,
  attributes: z.array(KeyValue),
  status: z.object({ code: z.number().int().optional(), message: z.string().optional() }),
});
const RequestJson = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: z.array(KeyValue) }),
      scopeSpans: z.array(z.object({ spans: z.array(SpanJson) })),
    }),
  ),
});

export interface DecodedSpan extends Omit<z.infer<typeof SpanJson>, "attributes"> {
  readonly attributes: Record<string, unknown>;
  readonly resource: Record<string, unknown>;
}

const scalarOf = ({
  stringValue,
  boolValue,
  intValue,
  doubleValue,
  arrayValue,
}: z.infer<typeof Scalar>): unknown =>
  stringValue ??
  boolValue ??
  doubleValue ??
  (intValue === undefined ? arrayValue?.values.map((value) => value.stringValue) : Number(intValue));

const attributesOf = (pairs: readonly z.infer<typeof KeyValue>[]) =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, scalarOf(value)]));

/** Protobuf's bytes and longs as OTLP's JSON mapping has them. */
function fromProtobuf(body: Buffer): unknown {
  const decoded = Request.toObject(Request.decode(body), { longs: String, bytes: String, arrays: true });
  const toHex = (base64: string) => Buffer.from(base64, "base64").toString("hex");
  return JSON.parse(JSON.stringify(decoded), (key, value) =>
    ["traceId", "spanId", "parentSpanId"].includes(key) && typeof value === "string"
      ? toHex(value) || undefined
      : value,
  );
}

/** Reads a trace request in either encoding by the protocol's own rules. Throws when it breaks them. */
export function decodeOtlp(contentType: string | undefined, body: Buffer): DecodedSpan[] {
  const json = contentType === "application/x-protobuf" ? fromProtobuf(body) : JSON.parse(body.toString());
  return RequestJson.parse(json).resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        attributes: attributesOf(span.attributes),
        resource: attributesOf(resource.attributes),
      })),
    ),
  );
}
