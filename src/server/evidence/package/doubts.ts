import type { EndpointFacts } from "#contract/endpoint-facts.ts";

const factNames = ["training", "retention_days"] as const;
const providerFacts = ["eu_owned", "storage_countries"] as const;

/** Facts that were unknown, expired on a day (UTC), unverified, or not those of the shipped catalogue. */
export function doubtsAbout(facts: EndpointFacts, day: string): string[] {
  const { provider, place, layer } = facts;
  const claims = [
    ...factNames.map((name) => [name, facts[name]] as const),
    ...providerFacts.map((name) => [name, provider[name]] as const),
  ];
  const known = place.countries.length > 0 || place.region_groups.length > 0;
  return [
    ...(known ? [] : ["place: unknown"]),
    ...(place.expires_at !== null && place.expires_at < day ? [`place: expired on ${place.expires_at}`] : []),
    ...claims.flatMap(([name, { value, expires_at }]) => {
      if (value === null) return [`${name}: unknown`];
      return expires_at !== null && expires_at < day ? [`${name}: expired on ${expires_at}`] : [];
    }),
    ...provider.unverified.map((name) => `${name}: not verified`),
    ...(layer === "shipped" ? [] : [`endpoint: described by the ${layer}`]),
    ...(provider.layer === "shipped" ? [] : [`provider: described by the ${provider.layer}`]),
  ];
}
