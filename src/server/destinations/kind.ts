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
  /** Empty when it is larger than 64 KiB. Never shown to anybody. */
  readonly body: Buffer;
  /** What was refused of a request that was accepted, as far as the destination tells. */
  readonly refused?: { readonly count: number; readonly of: number };
}

/** Makes one guarded request. Throws `OutboundError`. */
export type Send = (request: DestinationRequest) => Promise<DestinationResponse>;

export interface Exchange {
  readonly send: Send;
  readonly nowMs: number;
}

/** What a trial found: the destination's status, and whether it means that traces would arrive. */
export interface Trial {
  readonly ok: boolean;
  readonly status: number;
}

interface Definition<Shape extends z.ZodRawShape> {
  readonly type: string;
  readonly name: string;
  /** One sentence for people who choose. */
  readonly description: string;
  readonly documentationUrl: string;
  /** For the table of types: `OTLP/JSON`, `OTLP/protobuf` or the name of the tool's own API. */
  readonly protocol: string;
  readonly fields: Shape;
  /** Other spellings that are read, by their name. snake_case is read for every field. */
  readonly aliases?: Readonly<Record<string, keyof Shape & string>>;
  /** Traces in one request at most. */
  readonly batchMax: number;
  /** Statuses after which the same request may succeed later, besides those of every destination. */
  readonly retryAlso?: readonly number[];
  /** Where requests go, so that a refusal can name the field. */
  address(config: ConfigOf<Shape>): { readonly url: string; readonly field: string | null };
  /** Sends traces; the last answer decides how that went. */
  deliver(
    config: ConfigOf<Shape>,
    traces: readonly Trace[],
    exchange: Exchange,
  ): Promise<DestinationResponse>;
  /** Asks whether traces would arrive, with nobody's data. */
  test(config: ConfigOf<Shape>, exchange: Exchange): Promise<Trial>;
}

export type ConfigOf<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape>>;

/** A type of destination, its own shape of configuration hidden behind what every type can do. */
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

/** The user's own headers go along with every request; what the type itself sets wins. */
function withHeaders(send: Send, headers: Readonly<Record<string, string>>): Send {
  return (request) => {
    const own = Object.entries(request.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
    return send({ ...request, headers: { ...headers, ...Object.fromEntries(own) } });
  };
}

/** Whether a field, or what it wraps to be optional or have a default, is marked as write-only. */
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
    // What was stored before it was forbidden is not sent either.
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

/** The outcome of a trial that one request decides. */
export const trialOf = ({ status }: Pick<DestinationResponse, "status">): Trial => ({
  ok: succeeded(status),
  status,
});
