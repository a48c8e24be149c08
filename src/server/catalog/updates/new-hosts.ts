import type { CatalogueComparison } from "#contract/catalogue-update.ts";
import type { Catalogue } from "../types.ts";

type Host = CatalogueComparison["new_hosts"][number];

/** Where requests for each provider are sent: `provider host`. */
function hostsOf({ providers, endpoints }: Catalogue): Map<string, Host> {
  const hosts = new Map<string, Host>();
  const all = [...providers.values(), ...[...endpoints.values()].map(({ provider }) => provider)];
  for (const { slug: provider, baseUrl } of all) {
    if (baseUrl === null || !URL.canParse(baseUrl)) continue;
    const { host, protocol } = new URL(baseUrl);
    // The same host without encryption is another one.
    const shown = protocol === "https:" ? host : `${protocol}//${host}`;
    hosts.set(`${provider} ${shown}`, { provider, host: shown });
  }
  return hosts;
}

/** The hosts to which requests, with the credentials of providers, were not sent before. */
export function newHosts(before: Catalogue, after: Catalogue): Host[] {
  const known = hostsOf(before);
  return [...hostsOf(after)].filter(([key]) => !known.has(key)).map(([, host]) => host);
}
