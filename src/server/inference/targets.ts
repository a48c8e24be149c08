import type { Api, Endpoint } from "#server/catalog/index.ts";
import type { Target } from "./providers/kind.ts";
import { providerKinds } from "./providers/registry.ts";

/** Targets by endpoint and operation, made once each: URLs and headers are not built on every request. */
export function createTargets(credentials: ReadonlyMap<string, string>) {
  const known = new WeakMap<Endpoint, Map<Api, Target | null>>();
  return (endpoint: Endpoint, api: Api): Target | null => {
    const byApi = known.get(endpoint) ?? new Map<Api, Target | null>();
    if (byApi.size === 0) known.set(endpoint, byApi);
    let target = byApi.get(api);
    if (target === undefined) {
      const { slug, kind } = endpoint.provider;
      target = providerKinds.get(kind)?.target(endpoint, api, credentials.get(slug)) ?? null;
      byApi.set(api, target);
    }
    return target;
  };
}
export type Targets = ReturnType<typeof createTargets>;
