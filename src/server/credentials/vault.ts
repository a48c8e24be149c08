import type { PrismaClient } from "#generated/prisma/client.ts";
import { ownCredentialName } from "#server/catalog/index.ts";
import { type ReportRow, readRow } from "#server/db/index.ts";
import type { Sealer } from "#server/platform/sealing.ts";
import { placeOf, unreadableSecret } from "./credential-rows.ts";

/** An organisation's own credential, decrypted: in memory only. */
export interface OwnCredential {
  readonly id: string;
  readonly provider: string;
  readonly secret: string;
  readonly fallback: boolean;
}

interface Restrictions {
  readonly models: ReadonlySet<string> | null;
  /** Ids of API keys. */
  readonly keys: ReadonlySet<string> | null;
}
type StoredCredential = OwnCredential & Restrictions;
/** One that cannot be decrypted, which the installation's must not replace. */
type UnreadableCredential = Pick<OwnCredential, "provider"> & Restrictions;

/** The caller's organisation, workspace and key, and the model. */
export interface CredentialUse {
  readonly orgId: string;
  readonly keyId: string | null;
  readonly model: string;
}

export interface CredentialVault {
  /** Whether any credential in the database can serve an organisation. */
  has(orgId: string): boolean;
  /** The `credentialName`s of providers for which the database has a credential of the organisation or a shared one. */
  providersOf(use: CredentialUse): ReadonlySet<string>;
  /** The same of the organisation only, whatever the restrictions of its credentials. */
  broughtBy(orgId: string): ReadonlySet<string>;
  /** `credentialName`s of providers with an own credential that cannot be read, and none that can. */
  unreadable(use: CredentialUse): ReadonlySet<string>;
  /** Whether an own credential that comes before the installation's cannot be read, so that neither is used. */
  skipsInstallation(use: CredentialUse, provider: string): boolean;
  /** The shared credential of a provider by `credentialName`, if it is in the database instead of the environment. */
  shared(provider: string): OwnCredential | undefined;
  /** The organisation's credentials for one provider, by `credentialName`, in the order in which they are tried. */
  of(use: CredentialUse, provider: string): readonly OwnCredential[];
}

const none: ReadonlySet<string> = new Set();

/** An organisation's credential is found by the slug, whether the provider is its own or the installation's. */
const namesOf = ({ provider }: Pick<OwnCredential, "provider">) => [provider, ownCredentialName(provider)];

/** Without any credentials in the database. */
const noCredentials: CredentialVault = {
  has: () => false,
  providersOf: () => none,
  broughtBy: () => none,
  unreadable: () => none,
  skipsInstallation: () => false,
  shared: () => undefined,
  of: () => [],
};

const mayUse = ({ models, keys }: Restrictions, { model, keyId }: CredentialUse): boolean =>
  (models === null || models.has(model)) && (keys === null || (keyId !== null && keys.has(keyId)));

/**
 * Every enabled credential of every organisation, decrypted. One that cannot be decrypted (sealed by another
 * installation's key) is logged and not used. If it is an organisation's own, the installation's does not replace it:
 * requests would be sent through another account, under another contract.
 */
export async function loadCredentialVault(
  prisma: PrismaClient,
  sealer: Sealer,
  report: ReportRow,
): Promise<CredentialVault> {
  const rows = await prisma.provider_credential.findMany({
    where: { disabled: false },
    orderBy: [{ sort_order: "asc" }, { id: "asc" }],
  });
  if (rows.length === 0) return noCredentials;
  const named = rows.flatMap(({ allowed_keys }) => allowed_keys);
  const known = await prisma.api_key.findMany({
    where: { public_id: { in: named } },
    select: { id: true, public_id: true, org_id: true },
  });
  const idOf = new Map(known.map(({ id, public_id, org_id }) => [`${org_id} ${public_id}`, id]));
  const byOrg = new Map<string, StoredCredential[]>();
  const unreadable = new Map<string, UnreadableCredential[]>();
  const shared = new Map<string, OwnCredential>();
  for (const row of rows) {
    const { id, org_id, provider, is_fallback: fallback } = row;
    const restrictions: Restrictions = {
      models: row.models_restricted ? new Set(row.allowed_models) : null,
      keys: row.keys_restricted
        ? new Set(row.allowed_keys.flatMap((hash) => idOf.get(`${org_id} ${hash}`) ?? []))
        : null,
    };
    const { value: secret, problem } = readRow(() => sealer.open(row.secret, placeOf(row)));
    if (problem !== null) {
      report("provider_credential", id, unreadableSecret);
      // A fallback comes after the installation's credential, which is used as intended.
      if (!row.shared && !fallback)
        unreadable.set(org_id, [...(unreadable.get(org_id) ?? []), { provider, ...restrictions }]);
      continue;
    }
    const stored = { id, provider, secret, fallback, ...restrictions };
    if (!row.shared) byOrg.set(org_id, [...(byOrg.get(org_id) ?? []), stored]);
    else if (!shared.has(provider)) shared.set(provider, stored);
  }
  const sharedProviders: ReadonlySet<string> = new Set(shared.keys());
  return {
    has: (orgId) => shared.size > 0 || byOrg.has(orgId) || unreadable.has(orgId),
    providersOf(use) {
      const own = byOrg.get(use.orgId);
      if (!own) return sharedProviders;
      return sharedProviders.union(new Set(own.filter((one) => mayUse(one, use)).flatMap(namesOf)));
    },
    unreadable(use) {
      const lost = unreadable.get(use.orgId)?.filter((one) => mayUse(one, use));
      if (!lost?.length) return none;
      const read = byOrg.get(use.orgId)?.filter((one) => !one.fallback && mayUse(one, use)) ?? [];
      return new Set(lost.flatMap(namesOf)).difference(new Set(read.flatMap(namesOf)));
    },
    skipsInstallation: (use, provider) =>
      unreadable.get(use.orgId)?.some((one) => namesOf(one).includes(provider) && mayUse(one, use)) ?? false,
    broughtBy: (orgId) => new Set(byOrg.get(orgId)?.flatMap(namesOf)),
    shared: (provider) => shared.get(provider),
    of(use, provider) {
      const own = byOrg.get(use.orgId);
      if (!own) return [];
      return own.filter((one) => namesOf(one).includes(provider) && mayUse(one, use));
    },
  };
}
