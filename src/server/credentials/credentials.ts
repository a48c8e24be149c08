import type {
  CredentialCheck,
  LastCheck,
  ProviderCredential,
  ProviderCredentialCreate,
  ProviderCredentialQuery,
  ProviderCredentialUpdate,
} from "#contract/byok.ts";
import { credentialFault } from "#contract/credential-parts.ts";
import { type Authorized, authorize } from "#server/access/authorize.ts";
import type { Caller } from "#server/access/caller.ts";
import type { OrganisationCaller } from "#server/access/scope.ts";
import { authorizeOperator } from "#server/accounts/index.ts";
import { changeConfiguration } from "#server/audit/change.ts";
import { type Catalogue, type Catalogues, findModel } from "#server/catalog/index.ts";
import {
  type Database,
  jsonNull,
  type Page,
  readPage,
  readRow,
  reporting,
  type Tx,
} from "#server/db/index.ts";
import { clock, isoTime } from "#server/platform/clock.ts";
import { AppError, found } from "#server/platform/errors.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import type { Sealer } from "#server/platform/sealing.ts";
import {
  type CredentialRow,
  credentialColumns,
  lastFourOf,
  placeOf,
  secretOf,
  toAudit,
  toWire,
} from "./credential-rows.ts";

/** Dependencies of the operations. */
export interface CredentialDeps {
  readonly database: Database;
  readonly catalogues: Pick<Catalogues, "of">;
  readonly sealer: Sealer;
}

async function findOwn(tx: Tx, { orgId }: Caller, id: string): Promise<CredentialRow> {
  const where = { id, org_id: orgId };
  const row = await tx.provider_credential.findFirst({ where, select: credentialColumns });
  return found(row, "credential", "id");
}

/** The organisation's credentials without their secrets. */
export async function listCredentials(
  { database, sealer }: Pick<CredentialDeps, "database" | "sealer">,
  caller: Authorized<"byok:read", "organisation">,
  { provider, ...paging }: ProviderCredentialQuery,
): Promise<Page<ProviderCredential>> {
  const { orgId } = caller;
  const where = { org_id: orgId, ...(provider !== undefined && { provider }) };
  const { provider_credential: credentials } = database.prisma;
  return readPage(paging, {
    rows: (window) =>
      credentials.findMany({
        where,
        select: credentialColumns,
        orderBy: [{ provider: "asc" }, { sort_order: "asc" }, { id: "asc" }],
        ...window,
      }),
    count: () => credentials.count({ where }),
    toWire: (rows) =>
      reporting(
        database.reportRow,
        "provider_credential",
        rows.map((row) => toWire(sealer, row)),
      ),
  });
}

export async function getCredential(
  { database, sealer }: Pick<CredentialDeps, "database" | "sealer">,
  caller: Authorized<"byok:read", "organisation">,
  id: string,
): Promise<ProviderCredential> {
  return toWire(sealer, await findOwn(database.prisma, caller, id));
}

/** The secret of a stored credential; null if it cannot be decrypted. */
export async function credentialSecret(
  { database, sealer }: Pick<CredentialDeps, "database" | "sealer">,
  { orgId }: Authorized<"byok:read", "organisation">,
  id: string,
): Promise<string | null> {
  const where = { id, org_id: orgId };
  const row = found(await database.prisma.provider_credential.findFirst({ where }), "credential", "id");
  return readRow(() => secretOf(sealer, row)).value;
}

/** A credential that serves every organisation requires more than `byok:write`. Throws FORBIDDEN. */
const assertOperator = (database: Database, caller: Caller) =>
  authorizeOperator(database, authorize(caller, "billing:write", "organisation"));

/**
 * A shared credential serves everybody, after their own ones, so it has no restrictions. Throws BAD_REQUEST for a
 * restricted one, and FORBIDDEN unless the caller is the operator.
 */
async function assertShareable(
  database: Database,
  caller: OrganisationCaller,
  settings: Partial<ProviderCredentialUpdate>,
): Promise<void> {
  await assertOperator(database, caller);
  const { is_fallback, allowed_models, allowed_api_key_hashes } = settings;
  const limits = { is_fallback: is_fallback || null, allowed_models, allowed_api_key_hashes };
  const set = Object.entries(limits).find(([, value]) => value != null);
  if (!set) return;
  throw new AppError("BAD_REQUEST", `${set[0]}: cannot be set beside shared, which serves everybody`, {
    param: set[0],
  });
}

/** The provider of this slug. Throws BAD_REQUEST if it is unknown, or does not accept customer credentials. */
export function knownProvider({ providers }: Catalogue, slug: string, shared = false): string {
  const provider = providers.get(slug.toLowerCase());
  if (!provider)
    throw new AppError("BAD_REQUEST", "provider: is not in the catalogue; GET /api/v1/providers lists them", {
      param: "provider",
    });
  if (!provider.byokSupported && !shared)
    throw new AppError("BAD_REQUEST", `provider: ${provider.name} does not accept customer credentials`, {
      param: "provider",
    });
  return provider.slug;
}

/** Throws BAD_REQUEST if a credential does not have the form its provider requires. */
export function assertCredentialForm({ providers }: Catalogue, slug: string, key: string): void {
  const fault = credentialFault(providers.get(slug)?.auth ?? "", key);
  if (fault !== null) throw new AppError("BAD_REQUEST", `key: ${fault}`, { param: "key" });
}

/** Replaces aliases of models by their ids, and accepts only keys of this organisation. */
async function restrictions(
  tx: Tx,
  { orgId }: Caller,
  catalogue: Catalogue,
  { allowed_models: models, allowed_api_key_hashes: hashes }: Partial<ProviderCredentialUpdate>,
) {
  const ids = models?.map((name) => {
    const model = findModel(catalogue, name);
    if (model) return model.id;
    throw new AppError("BAD_REQUEST", `allowed_models: \`${name}\` is not in the catalogue`, {
      param: "allowed_models",
    });
  });
  if (hashes?.length) {
    const unique = [...new Set(hashes)];
    const known = await tx.api_key.count({ where: { org_id: orgId, public_id: { in: unique } } });
    if (known !== unique.length)
      throw new AppError("NOT_FOUND", "allowed_api_key_hashes: names a key that is not there", {
        param: "allowed_api_key_hashes",
      });
  }
  return {
    ...(models !== undefined && { models_restricted: models !== null, allowed_models: ids ?? [] }),
    ...(hashes !== undefined && { keys_restricted: hashes !== null, allowed_keys: hashes ?? [] }),
  };
}

const switches = ({ disabled, is_fallback, shared, sort_order }: Partial<ProviderCredentialUpdate>) => ({
  ...(disabled !== undefined && { disabled }),
  ...(shared !== undefined && { shared }),
  ...(is_fallback !== undefined && { is_fallback }),
  ...(sort_order !== undefined && { sort_order }),
});

/**
 * Seals and stores a credential. Throws BAD_REQUEST for an unknown provider, model or key, and what `assertShareable`
 * throws.
 */
export async function createCredential(
  { database, catalogues, sealer }: CredentialDeps,
  caller: Authorized<"byok:write", "organisation">,
  input: ProviderCredentialCreate,
): Promise<ProviderCredential> {
  if (input.shared) await assertShareable(database, caller, input);
  // A shared credential is for a provider of the installation, whatever the organisation calls its own ones.
  const catalogue = catalogues.of(input.shared ? null : caller.orgId);
  const provider = knownProvider(catalogue, input.provider, input.shared);
  assertCredentialForm(catalogue, provider, input.key);
  const place = { id: uuidv7(), org_id: caller.orgId };
  return changeConfiguration(database, caller, "byok.create", async (tx) => {
    const row = await tx.provider_credential.create({
      data: {
        ...place,
        provider,
        name: input.name,
        secret: sealer.seal(input.key, placeOf(place)),
        last_four: lastFourOf(input.key),
        ...switches(input),
        ...(await restrictions(tx, caller, catalogue, input)),
      },
      select: credentialColumns,
    });
    return {
      result: toWire(sealer, row),
      audit: { type: "provider_credential", id: row.id, after: toAudit(row) },
    };
  });
}

/** Changes the fields that were sent; the audit log records that a secret was replaced, never the secret. */
export async function updateCredential(
  { database, catalogues, sealer }: CredentialDeps,
  caller: Authorized<"byok:write", "organisation">,
  input: ProviderCredentialUpdate,
): Promise<ProviderCredential> {
  const place = { id: input.id, org_id: caller.orgId };
  const stored = toWire(sealer, await findOwn(database.prisma, caller, input.id));
  if (input.shared ?? stored.shared) await assertShareable(database, caller, { ...stored, ...input });
  else if (stored.shared) await assertOperator(database, caller);
  const catalogue = catalogues.of((input.shared ?? stored.shared) ? null : caller.orgId);
  if (input.key !== undefined) assertCredentialForm(catalogue, stored.provider, input.key);
  return changeConfiguration(database, caller, "byok.update", async (tx) => {
    const before = await findOwn(tx, caller, input.id);
    const row = await tx.provider_credential.update({
      where: place,
      data: {
        ...(input.name !== undefined && { name: input.name }),
        ...(input.key !== undefined && {
          secret: sealer.seal(input.key, placeOf(place)),
          last_four: lastFourOf(input.key),
          last_check: jsonNull,
        }),
        ...switches(input),
        ...(await restrictions(tx, caller, catalogue, input)),
      },
      select: credentialColumns,
    });
    return {
      result: toWire(sealer, row),
      audit: {
        type: "provider_credential",
        id: row.id,
        before: toAudit(before),
        after: { ...toAudit(row), ...(input.key !== undefined && { key: "replaced" }) },
      },
    };
  });
}

export async function removeCredential(
  { database }: Pick<CredentialDeps, "database">,
  caller: Authorized<"byok:write", "organisation">,
  id: string,
): Promise<void> {
  const { shared } = await findOwn(database.prisma, caller, id);
  if (shared) await assertOperator(database, caller);
  await changeConfiguration(database, caller, "byok.delete", async (tx) => {
    const before = await findOwn(tx, caller, id);
    await tx.provider_credential.delete({ where: { id, org_id: caller.orgId } });
    return { result: undefined, audit: { type: "provider_credential", id, before: toAudit(before) } };
  });
}

/**
 * Tests a stored credential with its provider, and stores the result unless the secret was replaced in the meantime.
 * Throws FORBIDDEN for a shared credential unless the caller is the operator.
 */
export async function checkStored(
  { database, sealer }: Omit<CredentialDeps, "catalogues">,
  caller: Authorized<"byok:write", "organisation">,
  id: string,
  ask: (of: Pick<CredentialRow, "provider" | "shared">, secret: string) => Promise<CredentialCheck>,
): Promise<CredentialCheck> {
  if ((await findOwn(database.prisma, caller, id)).shared) await assertOperator(database, caller);
  const where = { id, org_id: caller.orgId };
  const { provider, shared, secret, org_id } = await database.prisma.provider_credential.findFirstOrThrow({
    where,
  });
  const check = await ask({ provider, shared }, secretOf(sealer, { id, org_id, secret }));
  const last_check: LastCheck = { ...check, at: isoTime(clock.nowMs()) };
  // Not Prisma's update: the credential itself did not change, so `updated_at` must not.
  await database.prisma.$executeRaw`update provider_credential set last_check = ${last_check}::jsonb
    where id = ${id}::uuid and org_id = ${caller.orgId}::uuid and secret = ${secret}`;
  return check;
}
