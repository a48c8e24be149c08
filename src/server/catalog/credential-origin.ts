import type { EntrySection } from "#contract/catalogue-entry.ts";
import type { Prisma } from "#generated/prisma/client.ts";
import type { Tx } from "#server/db/index.ts";
import type { Catalogue } from "./types.ts";

/** An entry that is added or changed. */
export interface AddressChange {
  readonly section: EntrySection;
  readonly body: Prisma.InputJsonObject;
  /** What is stored until now; absent for a new entry. */
  readonly before?: Prisma.JsonObject;
}

const originOf = (address: unknown): string | null =>
  typeof address === "string" && URL.canParse(address) ? new URL(address).origin : null;

/** The provider whose credential would be sent to another origin than now; null if nobody's would. */
function movedProvider({ section, body, before }: AddressChange, { providers }: Catalogue): string | null {
  const to = originOf(body.base_url);
  if (to === null) return null;
  const slug = String(section === "provider" ? body.slug : body.provider);
  const provider = providers.get(slug);
  // Nothing was ever sent to a provider of which the address was not filled in.
  if (before?.base_url === undefined && provider?.baseUrl === null) return null;
  return originOf(before?.base_url ?? provider?.baseUrl) === to ? null : slug;
}

/**
 * The provider of a change that would send a stored credential to another origin than the one it was entered for; null
 * if there is none. Somebody who changes addresses could read the credential there. `orgId` is null for the installation.
 */
export async function credentialMovedBy(
  tx: Tx,
  orgId: string | null,
  catalogue: Catalogue,
  change: AddressChange,
): Promise<string | null> {
  const provider = movedProvider(change, catalogue);
  if (provider === null) return null;
  const of = orgId === null ? { shared: true } : { shared: false, org_id: orgId };
  return (await tx.provider_credential.count({ where: { provider, ...of } })) > 0 ? provider : null;
}
