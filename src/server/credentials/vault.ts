import type { PrismaClient } from "#generated/prisma/client.ts";
import { ownCredentialName } from "#server/catalog/index.ts";
import type { Log } from "#server/platform/log.ts";
import type { Sealer } from "#server/platform/sealing.ts";
import { placeOf } from "./credential-rows.ts";

/** An organisation's own credential, decrypted: in memory only. */
export interface OwnCredential {
  readonly id: string;
  readonly provider: string;
  readonly secret: string;
  readonly fallback: boolean;
}

interface StoredCredential extends OwnCredential {
  readonly models: ReadonlySet<string> | null;
  /** Ids of API keys. */
  readonly keys: ReadonlySet<string> | null;
}

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
  /** The shared credential of a provider by `credentialName`, if it is in the database instead of the environment. */
  shared(provider: string): OwnCredential | undefined;
  /** The organisation's credentials for one provider, by `credentialName`, in the order in which they are tried. */
  of(use: CredentialUse, provider: string): readonly OwnCredential[];
}

const none: ReadonlySet<string> = new Set();

/** An organisation's credential is found by the slug, whether the provider is its own or the installation's. */
const namesOf = ({ provider }: OwnCredential) => [provider, ownCredentialName(provider)];

/** Without any credentials in the database. */
const noCredentials: CredentialVault = {
  has: () => false,
  providersOf: () => none,
  broughtBy: () => none,
  shared: () => undefined,
  of: () => [],
};

const mayUse = ({ models, keys }: StoredCredential, { model, keyId }: CredentialUse): boolean =>
  (models === null || models.has(model)) && (keys === null || (keyId !== null && keys.has(keyId)));

/**
 * Every enabled credential of every organisation, decrypted. One that cannot be decrypted (sealed by another
 * installation's key) is skipped and logged; the others are used.
 */
export async function loadCredentialVault(
  prisma: PrismaClient,
  sealer: Sealer,
  log: Log,
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
  const shared = new Map<string, OwnCredential>();
  for (const row of rows) {
    try {
      const stored = {
        id: row.id,
        provider: row.provider,
        secret: sealer.open(row.secret, placeOf(row)),
        fallback: row.is_fallback,
        models: row.models_restricted ? new Set(row.allowed_models) : null,
        keys: row.keys_restricted
          ? new Set(row.allowed_keys.flatMap((hash) => idOf.get(`${row.org_id} ${hash}`) ?? []))
          : null,
      };
      if (!row.shared) byOrg.set(row.org_id, [...(byOrg.get(row.org_id) ?? []), stored]);
      else if (!shared.has(row.provider)) shared.set(row.provider, stored);
    } catch (error) {
      log.error({ event: "byok", error }, `The provider credential ${row.id} cannot be decrypted`);
    }
  }
  const sharedProviders: ReadonlySet<string> = new Set(shared.keys());
  return {
    has: (orgId) => shared.size > 0 || byOrg.has(orgId),
    providersOf(use) {
      const own = byOrg.get(use.orgId);
      if (!own) return sharedProviders;
      return sharedProviders.union(new Set(own.filter((one) => mayUse(one, use)).flatMap(namesOf)));
    },
    broughtBy: (orgId) => new Set(byOrg.get(orgId)?.flatMap(namesOf)),
    shared: (provider) => shared.get(provider),
    of(use, provider) {
      const own = byOrg.get(use.orgId);
      if (!own) return [];
      return own.filter((one) => namesOf(one).includes(provider) && mayUse(one, use));
    },
  };
}
