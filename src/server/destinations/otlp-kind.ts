import type { z } from "zod";
import { type ConfigOf, type DestinationKind, defineKind, succeeded } from "./kind.ts";
import { type OtlpEncoding, type OtlpOptions, otlpBody, withRefused } from "./trace/otlp.ts";

interface OtlpDefinition<Shape extends z.ZodRawShape> {
  readonly type: string;
  readonly name: string;
  readonly description: string;
  readonly documentationUrl: string;
  readonly fields: Shape;
  readonly aliases?: Readonly<Record<string, keyof Shape & string>>;
  readonly batchMax?: number;
  readonly encoding: OtlpEncoding | ((config: ConfigOf<Shape>) => OtlpEncoding);
  /** The field that contains the address; null if the type has only one. */
  readonly addressField: (keyof Shape & string) | null;
  /** The address that spans are posted to. */
  url(config: ConfigOf<Shape>): string;
  /** The headers that authenticate us. */
  headers?(config: ConfigOf<Shape>): Record<string, string>;
  options?(config: ConfigOf<Shape>): OtlpOptions;
}

const names: Record<OtlpEncoding, string> = { "http/json": "OTLP/JSON", "http/protobuf": "OTLP/protobuf" };

/** A type that accepts OTLP over HTTP: only its address, credentials and extra attributes differ. */
export function otlpKind<Shape extends z.ZodRawShape>(definition: OtlpDefinition<Shape>): DestinationKind {
  const { encoding, addressField, url, headers, options, batchMax = 100, ...about } = definition;
  const encodingOf = (config: ConfigOf<Shape>) =>
    typeof encoding === "string" ? encoding : encoding(config);
  return defineKind({
    ...about,
    batchMax,
    protocol: typeof encoding === "string" ? names[encoding] : `${names["http/json"]} or protobuf`,
    address: (config) => ({ url: url(config), field: addressField }),
    async deliver(config, traces, { send }) {
      const { contentType, body, spans } = otlpBody(traces, encodingOf(config), options?.(config));
      const response = await send({
        method: "POST",
        url: url(config),
        headers: { "content-type": contentType, ...headers?.(config) },
        body,
      });
      return withRefused(response, spans);
    },
    async test(config, { send }) {
      const { contentType, body } = otlpBody([], encodingOf(config));
      const { status } = await send({
        method: "POST",
        url: url(config),
        headers: { "content-type": contentType, "x-test-connection": "true", ...headers?.(config) },
        body,
      });
      // Some tools refuse a request without spans as empty, after they have accepted the credentials.
      return { ok: succeeded(status) || status === 400, status };
    },
  });
}

export const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;

/** The traces address of an OTLP receiver, from its base or complete address. */
export const tracesUrl = (base: string): string => (base.endsWith("/v1/traces") ? base : `${base}/v1/traces`);
