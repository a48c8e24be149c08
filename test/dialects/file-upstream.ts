import { afterAll, beforeEach } from "vitest";
import type { Api } from "#contract/inference-operations.ts";
import type { Exchange } from "#server/inference/providers/kind.ts";
import { providerKinds } from "#server/inference/providers/registry.ts";
import { allowedHosts, Outbound } from "#server/platform/outbound.ts";
import { endpoint, model, provider } from "#test/catalogues.ts";
import { exchangeWith } from "./exchange.ts";
import { startUpstream } from "./server.ts";

interface Kind {
  readonly kind: string;
  readonly basePath: string;
  readonly credential: string;
}

/** A provider on loopback and a way to it for the tests of one file. Each test starts with no requests received. */
export async function upstreamOfFile() {
  const upstream = await startUpstream();
  const outbound = new Outbound(allowedHosts(["127.0.0.1"]));
  beforeEach(() => {
    upstream.received.length = 0;
  });
  afterAll(async () => {
    await outbound.close();
    await upstream.close();
  });
  const exchange = (body: Exchange["body"], own: Partial<Exchange> = {}) => exchangeWith(outbound, body, own);

  /** An endpoint of a provider of this kind, and how its API is spoken there. */
  function open({ kind, basePath, credential }: Kind, api: Api) {
    const at = endpoint(
      provider("theirs", { kind, baseUrl: upstream.origin + basePath }),
      model("m/x", { supportedParameters: [] }),
      { upstreamModel: "model-of-theirs" },
    );
    const way = providerKinds.get(kind)?.upstream(at, api, credential);
    if (!way) throw new Error(`${kind} does not speak ${api}`);
    return { way, at };
  }
  return { upstream, outbound, exchange, open };
}

/** The kinds of providers that speak this API. */
export const kindsOf = (api: Api): string[] =>
  [...providerKinds.values()]
    .filter(({ kind, upstream }) =>
      upstream(endpoint(provider("theirs", { kind }), model("m/x")), api, "key"),
    )
    .map(({ kind }) => kind);
