import type { Catalogue, Endpoint, Model } from "./types.ts";

/** The model of this id or alias; undefined when nobody knows it. */
export const findModel = (catalogue: Catalogue, name: string): Model | undefined =>
  catalogue.models.get(name) ?? catalogue.models.get(catalogue.aliases.get(name) ?? "");

const openAuth: ReadonlySet<string> = new Set(["none", "bearer-optional"]);

/**
 * Why no request can be sent to an endpoint, whatever the policy says; null when one can.
 * `credentials` are by provider slug.
 */
export function whyUnusable(
  endpoint: Endpoint,
  credentials: { has(slug: string): boolean },
): "no_base_url" | "no_credential" | null {
  const { provider } = endpoint;
  if (provider.baseUrl === null) return "no_base_url";
  if (openAuth.has(provider.auth) || credentials.has(provider.slug)) return null;
  return "no_credential";
}
