import type { Catalogue, Model, Provider } from "./types.ts";

/** The model of this id or alias; undefined if it is unknown. */
export const findModel = (catalogue: Catalogue, name: string): Model | undefined =>
  catalogue.models.get(name) ?? catalogue.models.get(catalogue.aliases.get(name) ?? "");

const allNames = ({ models, aliases }: Catalogue): string[] => [...models.keys(), ...aliases.keys()];

/** The id or alias that differs from a name only in case; undefined if there is none. */
export const nameInAnyCase = (catalogue: Catalogue, name: string): string | undefined =>
  allNames(catalogue).find((one) => one.toLowerCase() === name.toLowerCase());

/**
 * The model that an unknown name probably means: the same name in another case, or the only model with this name of
 * any author. Undefined if there is none, or more than one.
 */
export function nameMeant(catalogue: Catalogue, name: string): string | undefined {
  const slug = name.slice(name.lastIndexOf("/") + 1).toLowerCase();
  const near = allNames(catalogue).filter((one) => one.toLowerCase().endsWith(`/${slug}`));
  const ids = new Set(near.map((one) => catalogue.aliases.get(one) ?? one));
  return nameInAnyCase(catalogue, name) ?? (ids.size === 1 ? [...ids][0] : undefined);
}

/** The error for unknown models. `meant` returns what one of them probably means. */
export function notFoundMessage(
  names: readonly string[],
  meant: (name: string) => string | undefined,
): string {
  const quoted = (ones: readonly string[]) => ones.map((one) => `\`${one}\``).join(", ");
  const hints = quoted(names.flatMap((name) => meant(name) ?? []));
  const hint = hints === "" ? "" : `Did you mean ${hints}? `;
  return `Model not found: ${quoted(names)}. ${hint}GET /api/v1/models lists what there is`;
}

/** The name of an organisation's credentials for its own provider. No slug contains a colon. */
export const ownCredentialName = (slug: string): string => `own:${slug}`;

const openAuth: ReadonlySet<string> = new Set(["none", "bearer-optional"]);

/** The credentials of a caller, by `credentialName`. */
export interface Credentials {
  has(name: string): boolean;
  /**
   * Whether the only own one for a model cannot be read. The installation's is no replacement: it has another account
   * and contract.
   */
  isUnreadable?(name: string, model: string): boolean;
}

/** What says whether requests can be sent to an endpoint. */
interface Reachable {
  readonly provider: Pick<Provider, "credentialName" | "baseUrl" | "auth">;
  readonly model: Pick<Model, "id">;
}

/** Why no request can be sent to an endpoint, whatever the policy; null if it can. */
export function whyUnusable(
  { provider, model }: Reachable,
  credentials: Credentials,
): "own_credential" | "no_base_url" | "no_credential" | null {
  if (credentials.isUnreadable?.(provider.credentialName, model.id)) return "own_credential";
  if (provider.baseUrl === null) return "no_base_url";
  if (openAuth.has(provider.auth) || credentials.has(provider.credentialName)) return null;
  return "no_credential";
}
