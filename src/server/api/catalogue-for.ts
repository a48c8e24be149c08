import type { Caller } from "#server/access/caller.ts";
import type { Catalogue } from "#server/catalog/index.ts";
import type { Outbound } from "#server/platform/outbound.ts";
import type { Services } from "./services.ts";

/** The catalogue that a caller sees: the installation's, with the own entries of the caller's organisation. */
export const catalogueFor = (
  { catalogues }: Pick<Services, "catalogues">,
  caller: Caller | null,
): Catalogue => catalogues.of(caller?.orgId ?? null);

/** Which providers a caller reaches: with credentials of the installation, or of the caller's organisation. */
export function credentialsFor({ inference }: Pick<Services, "inference">, caller: Caller | null) {
  const { own, installation } = inference.credentials;
  if (!caller) return installation;
  const brought = own().broughtBy(caller.orgId);
  return { has: (name: string) => brought.has(name) || installation.has(name) };
}

/** The connections to providers of the installation, which null stands for, and to those of an organisation. */
export const outboundOf =
  ({ inference }: Pick<Services, "inference">) =>
  (orgId: string | null): Outbound =>
    orgId === null ? inference.outbound : inference.ownOutbound;
