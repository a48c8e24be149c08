import { z } from "zod";
import { Headers } from "./fields.ts";
import { whyForbidden } from "./forbidden-headers.ts";
import type { Trace } from "./trace/trace.ts";

export interface DestinationRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export interface DestinationResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Empty if it is larger than 64 KiB. Never shown. */
  readonly body: Buffer;
  /** What was refused of an accepted request, as far as the destination reports it. */
  readonly refused?: { readonly count: number; readonly of: number };
}

/** Makes one guarded request. Throws `OutboundError`. */
export type Send = (request: DestinationRequest) => Promise<DestinationResponse>;

export interface Exchange {
  readonly send: Send;
  readonly nowMs: number;
}

/** The result of a test: the destination's status, and whether traces would arrive. */
export interface Trial {
  readonly ok: boolean;
  readonly status: number;
}

interface Definition<Shape extends z.ZodRawShape> {
  readonly type: string;
  readonly name: string;
  /** One sentence that describes the type in the console. */
  readonly description: string;
  readonly documentationUrl: string;
  /** For the table of types: `OTLP/JSON`, `OTLP/protobuf` or the name of the tool's own API. */
  readonly protocol: string;
  readonly fields: Shape;
  /** Other accepted spellings of field names. snake_case is accepted for every field. */
  readonly aliases?: Readonly<Record<string, keyof Shape & string>>;
  /** Maximum number of traces per request. */
  readonly batchMax: number;
  /** Additional statuses after which the same request may succeed later. */
  readonly retryAlso?: readonly number[];
  /** The field that contains the address, so that a refusal can name it. */
  address(config: ConfigOf<Shape>): { readonly url: string; readonly field: string | null };
  /** Sends traces; the last answer decides the result. */
  deliver(
    config: ConfigOf<Shape>,
    traces: readonly Trace[],
    exchange: Exchange,
  ): Promise<DestinationResponse>;
  /** Tests whether traces would arrive, without anybody's data. */
  test(config: ConfigOf<Shape>, exchange: Exchange): Promise<Trial>;
}

export type ConfigOf<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape>>;

/** A type of destination, which hides the form of its configuration. */
export interface DestinationKind
  extends Pick<
    Definition<z.ZodRawShape>,
    "type" | "name" | "description" | "documentationUrl" | "protocol" | "batchMax" | "retryAlso" | "aliases"
  > {
  readonly config: z.ZodObject;
  /** Names of the fields that are secrets. */
  readonly secrets: ReadonlySet<string>;
  address(config: object): { readonly url: string; readonly field: string | null };
  deliver(config: object, traces: readonly Trace[], exchange: Exchange): Promise<DestinationResponse>;
  test(config: object, exchange: Exchange): Promise<Trial>;
}

/** The user's own headers are sent with every request; headers of the type override them. */
function withHeaders(send: Send, headers: Readonly<Record<string, string>>): Send {
  return (request) => {
    const own = Object.entries(request.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
    return send({ ...request, headers: { ...headers, ...Object.fromEntries(own) } });
  };
}

/** Whether a field, without its optional or default wrapper, is marked as write-only. */
function isSecret(field: z.core.$ZodType): boolean {
  if (z.globalRegistry.get(field)?.writeOnly === true) return true;
  const { def } = field._zod;
  return "innerType" in def && isSecret(def.innerType as z.core.$ZodType);
}

const WithHeaders = z.object({ headers: z.record(z.string(), z.string()).optional() });

/** Makes a type from its definition. */
export function defineKind<Shape extends z.ZodRawShape>(definition: Definition<Shape>): DestinationKind {
  const { fields, address, deliver, test, ...about } = definition;
  const own = z.object(fields);
  const config = z.strictObject({ ...fields, headers: Headers.optional() });
  const secrets = Object.entries(config.shape).filter(([, field]) => isSecret(field));
  const read = (given: object) => {
    const { headers: stored = {} } = WithHeaders.parse(given);
    // Headers that were stored before they were forbidden are not sent.
    const headers = Object.fromEntries(
      Object.entries(stored).filter(([name]) => whyForbidden(name) === null),
    );
    const parsed = own.parse(given);
    return { parsed, headers };
  };
  return {
    ...about,
    config,
    secrets: new Set(secrets.map(([name]) => name)),
    address: (given) => address(read(given).parsed),
    deliver(given, traces, { send, nowMs }) {
      const { parsed, headers } = read(given);
      return deliver(parsed, traces, { send: withHeaders(send, headers), nowMs });
    },
    test(given, { send, nowMs }) {
      const { parsed, headers } = read(given);
      return test(parsed, { send: withHeaders(send, headers), nowMs });
    },
  };
}

export const succeeded = (status: number): boolean => status >= 200 && status < 300;

/** The result of a test that consists of one request. */
export const trialOf = ({ status }: Pick<DestinationResponse, "status">): Trial => ({
  ok: succeeded(status),
  status,
});
