import type { Api } from "#contract/inference-operations.ts";
import { unsupported } from "../pipeline/failures.ts";
import type { Json } from "../wires/shared/json.ts";
import { type HttpTarget, httpUpstream } from "./http-upstream.ts";
import { bearer, type Probe, type ProviderKind, type Upstream } from "./kind.ts";

/** The path of an operation below the provider's address, and its differences from the standard JSON. */
interface Route extends Pick<HttpTarget, "toProvider" | "fromProvider" | "elements"> {
  readonly path: string;
  /** Fields of the standard JSON that it has no place for. They are reported as dropped. */
  readonly lacks?: readonly string[];
}

/** The same upstream, which reports fields that its provider does not get. */
function reporting(upstream: Upstream, lacks: readonly string[]): Upstream {
  return {
    ...upstream,
    complete(exchange) {
      const dropped = lacks.filter((name) => exchange.body[name] != null);
      if (dropped.length > 0) exchange.onDropped?.(dropped);
      return upstream.complete(exchange);
    },
  };
}

/** A kind that accepts JSON over HTTP with a bearer credential. */
export const jsonKind = (
  kind: string,
  title: string,
  routes: Readonly<Partial<Record<Api, Route>>>,
  probe?: Probe,
): ProviderKind => ({
  kind,
  title,
  ...(probe && { probe }),
  upstream({ provider }, api, credential) {
    const route = routes[api];
    if (!route || !provider.baseUrl) return null;
    const { path, lacks = [], ...translations } = route;
    const upstream = httpUpstream({
      url: new URL(provider.baseUrl.replace(/\/+$/, "") + path),
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(credential && bearer(credential)),
      },
      ...translations,
    });
    return lacks.length > 0 ? reporting(upstream, lacks) : upstream;
  },
});

/** The fields of `names` that are set, renamed to the provider's names. */
export function renamed(body: Json, names: Readonly<Record<string, string>>): Json {
  const into: Json = {};
  for (const [name, theirs] of Object.entries(names)) if (body[name] != null) into[theirs] = body[name];
  return into;
}

/** The inputs of an embedding request if only texts are supported. Throws `AttemptError` for tokens. */
export function textsOf({ input }: Json): string[] {
  const inputs: unknown[] = Array.isArray(input) ? input : [input];
  return inputs.map((text) => {
    if (typeof text !== "string") throw unsupported("token arrays");
    return text;
  });
}
