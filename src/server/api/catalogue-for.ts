import type { Caller } from "#server/access/caller.ts";
import type { Catalogue, Credentials } from "#server/catalog/index.ts";
import type { Outbound } from "#server/platform/outbound.ts";
import type { Services } from "./services.ts";

/** The catalogue that a caller sees: the installation's, with the own entries of the caller's organisation. */
export const catalogueFor = (
  { catalogues }: Pick<Services, "catalogues">,
  caller: Caller | null,
): Catalogue => catalogues.of(caller?.orgId ?? null);

/** The credentials of a caller's organisation. */
export function ownCredentialsOf({ inference }: Pick<Services, "inference">, caller: Caller): Credentials {
  const vault = inference.credentials.own();
  const { orgId } = caller;
  const keyId = caller.kind === "key" ? caller.keyId : null;
  const brought = vault.broughtBy(orgId);
  return {
    has: (name) => brought.has(name),
    isUnreadable: (name, model) => vault.unreadable({ orgId, keyId, model }).has(name),
  };
}

/** Which providers a caller reaches: with credentials of the installation, or of the caller's organisation. */
export function credentialsFor(services: Pick<Services, "inference">, caller: Caller | null): Credentials {
  const { installation } = services.inference.credentials;
  if (!caller) return installation;
  const own = ownCredentialsOf(services, caller);
  return { ...own, has: (name) => own.has(name) || installation.has(name) };
}

/** The connections to providers of the installation, which null stands for, and to those of an organisation. */
export const outboundOf =
  ({ inference }: Pick<Services, "inference">) =>
  (orgId: string | null): Outbound =>
    orgId === null ? inference.outbound : inference.ownOutbound;
