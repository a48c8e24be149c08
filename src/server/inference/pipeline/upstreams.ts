import type { Api } from "#contract/inference-operations.ts";
import type { Endpoint } from "#server/catalog/index.ts";
import type { OwnCredential } from "#server/credentials/index.ts";
import type { Upstream } from "../providers/kind.ts";
import { providerKinds } from "../providers/registry.ts";

type Known = WeakMap<Endpoint, Map<Api, Upstream | null>>;

/**
 * Caches upstreams by endpoint, operation and credential, so that URLs and headers are not built for every request.
 * Without a credential from the database, the environment's is used, by `credentialName`.
 */
export function createUpstreams(credentials: ReadonlyMap<string, string>) {
  const fromEnvironment: Known = new WeakMap();
  // A changed credential is another object, so its cached upstreams disappear.
  const byKept = new WeakMap<OwnCredential, Known>();
  const knownWith = (kept: OwnCredential | null): Known => {
    if (kept === null) return fromEnvironment;
    const known = byKept.get(kept) ?? new WeakMap();
    byKept.set(kept, known);
    return known;
  };
  return (endpoint: Endpoint, api: Api, kept: OwnCredential | null): Upstream | null => {
    const known = knownWith(kept);
    const byApi = known.get(endpoint) ?? new Map<Api, Upstream | null>();
    if (byApi.size === 0) known.set(endpoint, byApi);
    let upstream = byApi.get(api);
    if (upstream === undefined) {
      const { credentialName, kind } = endpoint.provider;
      const credential = kept?.secret ?? credentials.get(credentialName);
      upstream = providerKinds.get(kind)?.upstream(endpoint, api, credential) ?? null;
      byApi.set(api, upstream);
    }
    return upstream;
  };
}
export type Upstreams = ReturnType<typeof createUpstreams>;
