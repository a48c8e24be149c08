import { timingSafeEqual } from "node:crypto";
import type { AuthorizationCode, CodeExchange, CodeRequest, IssuedKey } from "#contract/authorization.ts";
import { inferencePermissions } from "#contract/permission.ts";
import type { authorization_code } from "#generated/prisma/client.ts";
import type { Authorized } from "#server/access/authorize.ts";
import { systemOf } from "#server/access/caller.ts";
import { isPermission } from "#server/access/permissions.ts";
import { isServiceAccount, resetOf, stillMayGrant } from "#server/accounts/index.ts";
import { changeConfiguration, changeRecords } from "#server/audit/change.ts";
import type { Database, Tx } from "#server/db/index.ts";
import { deriveKey, sha256 } from "#server/platform/crypto.ts";
import { AppError } from "#server/platform/errors.ts";
import { randomToken } from "#server/platform/ids.ts";
import { limits } from "#server/platform/limits.ts";
import { decimalFromPico } from "#server/platform/money.ts";
import { createSealer, type SealedPlace, type Sealer } from "#server/platform/sealing.ts";
import { mintKey } from "./format.ts";
import { storeKey } from "./issue.ts";
import { boundsOf, grantWithin } from "./key-access.ts";

const { codeLifetimeMs, attemptsMax, usedRetentionMs, repeatMs } = limits.authorization;

/** Who decided: a person on the consent page, or a program with a key of its own. */
const codeActions = { consent: "auth.consent", program: "auth.code_created" } as const;

/** The label of a key when nobody gave one: the host that asked for it. */
const labelOf = ({ key_label, callback_url }: CodeRequest): string =>
  (key_label ?? new URL(callback_url).host).slice(0, 100);

/** Drops codes whose reuse no longer matters, and answers that are repeated no more. */
export async function purgeOldCodes(tx: Pick<Tx, "$executeRaw">): Promise<void> {
  await tx.$executeRaw`
    delete from authorization_code where expires_at < now() - make_interval(secs => ${usedRetentionMs / 1000})`;
  await tx.$executeRaw`
    update authorization_code set answer = null
    where answer is not null and used_at < now() - make_interval(secs => ${repeatMs / 1000})`;
}

/** Gives the code its times by the database's clock. */
async function startLifetime(tx: Tx, id: string): Promise<string> {
  const rows = await tx.$queryRaw<{ created_at: Date }[]>`
    update authorization_code
    set created_at = now(), expires_at = now() + make_interval(secs => ${codeLifetimeMs / 1000})
    where id = ${id}::uuid returning created_at`;
  const [row] = rows;
  if (!row) throw new Error("The code just stored is gone");
  return row.created_at.toISOString();
}

/**
 * Makes a code for a key with inference rights, within the bounds of the caller. The plain code is in the answer
 * only. Throws FORBIDDEN without `keys:write` or for more than the caller has.
 */
export async function createCode(
  database: Database,
  caller: Authorized<"keys:write">,
  by: keyof typeof codeActions,
  input: CodeRequest,
): Promise<AuthorizationCode> {
  const code = randomToken(32);
  return changeRecords(database, caller, codeActions[by], async (tx) => {
    if (by === "consent" && (await isServiceAccount(tx, caller))) {
      throw new AppError("FORBIDDEN", "Only a person can consent; a service account uses /auth/keys/code");
    }
    const grant = await grantWithin(tx, caller, await boundsOf(tx, caller), {
      ...input,
      limit_reset: input.limit_reset ?? input.usage_limit_type,
      permissions: inferencePermissions,
    });
    const name = labelOf(input);
    await purgeOldCodes(tx);
    const row = await tx.authorization_code.create({
      data: {
        digest: sha256(code),
        // With the plain method it is the verifier itself.
        challenge: sha256(input.code_challenge),
        method: input.code_challenge_method,
        callback_url: input.callback_url,
        client_id: input.client_id ?? null,
        org_id: caller.orgId,
        user_id: caller.userId,
        workspace_id: grant.workspaceId ?? null,
        parent_id: grant.parentId ?? null,
        maker_id: caller.kind === "key" ? caller.keyId : null,
        key_name: name,
        permissions: [...grant.permissions],
        models_restricted: grant.allowedModels != null,
        allowed_models: [...(grant.allowedModels ?? [])],
        limit_pico_eur: grant.limit?.toString() ?? null,
        limit_reset: grant.limitReset ?? null,
        key_expires_at: grant.expiresAt ?? null,
        // Dead until its lifetime starts.
        expires_at: "1970-01-01T00:00:00.000Z",
      },
      select: { id: true },
    });
    return {
      result: { code, created_at: await startLifetime(tx, row.id) },
      audit: {
        type: "authorization_code",
        id: row.id,
        after: {
          callback_host: new URL(input.callback_url).host,
          method: input.code_challenge_method,
          key_name: name,
          workspace_id: grant.workspaceId ?? null,
          limit_eur: grant.limit == null ? null : decimalFromPico(grant.limit, 6),
          limit_reset: grant.limitReset ?? null,
          expires_at: grant.expiresAt ?? null,
        },
      },
    };
  });
}

interface FoundCode {
  readonly id: string;
  readonly org_id: string;
  readonly user_id: string;
  readonly challenge: string;
  readonly method: string;
  readonly attempts: number;
  readonly used: boolean;
  readonly live: boolean;
  readonly key_id: string | null;
  /** The issued key, sealed, while its answer may be repeated. */
  readonly answer: string | null;
}

/**
 * One answer for a code that is unknown, expired, used or another client's, so that it reveals nothing (RFC 7636
 * 4.6).
 */
const invalidGrant = (): AppError =>
  new AppError("FORBIDDEN", "The code is not valid: it is unknown, expired, used, or of another verifier", {
    metadata: { oauth_error: "invalid_grant" },
  });

function fits(verifier: string, { challenge, method }: FoundCode): boolean {
  const expected = Buffer.from(challenge);
  const given = Buffer.from(sha256(method === "S256" ? sha256(verifier) : verifier));
  return timingSafeEqual(expected, given);
}

/** Ends the key a code brought: the code has come again, so somebody else has it (RFC 6749 4.1.2). */
async function revokeIssued(database: Database, found: FoundCode): Promise<void> {
  const { key_id: keyId, org_id: orgId } = found;
  if (keyId === null) return;
  const system = systemOf(orgId, found.user_id);
  await changeConfiguration(database, system, "auth.code_reused", async (tx) => {
    const { count } = await tx.api_key.updateMany({
      where: { id: keyId, org_id: orgId, disabled: false },
      data: { disabled: true },
    });
    const after = { disabled: true, authorization_code_id: found.id };
    return { result: undefined, audit: count === 0 ? null : { type: "api_key", id: keyId, after } };
  });
}

/**
 * The key that requested a code, null for a person. Throws if the requester could not request it any more, or the
 * workspace was deleted: a code ends with what it was made from.
 */
async function requireGrantors(tx: Tx, code: authorization_code) {
  const { org_id, user_id: userId, maker_id: keyId, workspace_id: workspaceId } = code;
  const permissions = [...code.permissions.filter(isPermission), "keys:write" as const];
  const holds = await stillMayGrant(tx, { orgId: org_id, userId, keyId }, { permissions, withBounds: true });
  const maker = keyId
    ? await tx.api_key.findFirst({
        where: { id: keyId, org_id },
        select: { requests_per_minute: true, include_byok_in_limit: true },
      })
    : null;
  const workspace = workspaceId
    ? await tx.workspace.findFirst({ where: { id: workspaceId, org_id }, select: { id: true } })
    : null;
  if (!holds || (workspaceId && !workspace)) throw invalidGrant();
  return maker;
}

/** Opened only by who brings the code and its verifier again: this database holds neither. */
const sealerOf = ({ code, code_verifier }: CodeExchange): Sealer =>
  createSealer([deriveKey(Buffer.from(`${code} ${code_verifier}`), "code exchange")]);

const placeOf = ({ id, org_id }: FoundCode): SealedPlace => ({
  table: "authorization_code",
  column: "answer",
  rowId: id,
  orgId: org_id,
});

/** Uses the code up and stores its key, or does neither. Null when the code was used meanwhile. */
async function redeem(
  database: Database,
  found: FoundCode,
  prefix: string,
  exchange: CodeExchange,
): Promise<IssuedKey | null> {
  const key = mintKey(prefix);
  return database.transaction(async (tx) => {
    await purgeOldCodes(tx);
    const used = await tx.$executeRaw`
      update authorization_code set used_at = now()
      where id = ${found.id}::uuid and used_at is null and expires_at > now() and attempts < ${attemptsMax}`;
    if (used !== 1) return null;
    const code = await tx.authorization_code.findFirstOrThrow({
      where: { id: found.id, org_id: found.org_id },
    });
    const maker = await requireGrantors(tx, code);
    const keyId = await storeKey(tx, systemOf(found.org_id, found.user_id), key, prefix, {
      name: code.key_name,
      orgId: code.org_id,
      userId: code.user_id,
      workspaceId: code.workspace_id,
      parentId: code.parent_id,
      makerId: code.maker_id,
      permissions: code.permissions.filter(isPermission),
      allowedModels: code.models_restricted ? code.allowed_models : null,
      limit: code.limit_pico_eur === null ? null : BigInt(code.limit_pico_eur.toFixed(0)),
      limitReset: resetOf(code),
      requestsPerMinute: maker?.requests_per_minute ?? null,
      includeByokInLimit: maker?.include_byok_in_limit ?? false,
      expiresAt: code.key_expires_at?.toISOString() ?? null,
      appHost: new URL(code.callback_url).host,
    });
    await tx.authorization_code.update({
      where: { id: found.id, org_id: found.org_id },
      data: { key_id: keyId, answer: sealerOf(exchange).seal(key, placeOf(found)) },
    });
    return { key, user_id: code.user_id };
  });
}

/**
 * A code that was used comes again with its verifier. Within some seconds that is who used it, whose answer was lost or
 * crossed another; later it is a theft, and the key ends.
 */
async function repeat(database: Database, found: FoundCode, exchange: CodeExchange): Promise<IssuedKey> {
  const { key_id: keyId, org_id: orgId, user_id, answer } = found;
  const counts =
    keyId !== null &&
    (await database.prisma.api_key.count({ where: { id: keyId, org_id: orgId, disabled: false } })) > 0;
  if (counts && answer !== null) return { key: sealerOf(exchange).open(answer, placeOf(found)), user_id };
  await revokeIssued(database, found);
  throw invalidGrant();
}

async function find(database: Database, code: string): Promise<FoundCode | null> {
  const rows = await database.prisma.$queryRaw<FoundCode[]>`
    select id, org_id, user_id, challenge, method, attempts, used_at is not null as used,
      expires_at > now() as live, key_id,
      case when used_at > now() - make_interval(secs => ${repeatMs / 1000}) then answer end as answer
    from authorization_code where digest = ${sha256(code)}`;
  return rows[0] ?? null;
}

/**
 * Exchanges a code for its key, within its lifetime, with the verifier. Throws BAD_REQUEST for another method than
 * the code was made with, else FORBIDDEN with `invalid_grant`. The same exchange within some seconds gets the same
 * key; a later one, or one with a wrong verifier after the first, revokes it.
 */
export async function exchangeCode(
  database: Database,
  prefix: string,
  exchange: CodeExchange,
): Promise<IssuedKey> {
  const { code, code_verifier, code_challenge_method } = exchange;
  const found = await find(database, code);
  if (!found || found.attempts >= attemptsMax) throw invalidGrant();
  if (code_challenge_method && code_challenge_method !== found.method) {
    throw new AppError("BAD_REQUEST", "code_challenge_method: is not the one the code was made with", {
      param: "code_challenge_method",
    });
  }
  if (!fits(code_verifier, found)) {
    await database.prisma.authorization_code.updateMany({
      where: { id: found.id, org_id: found.org_id, attempts: { lt: attemptsMax } },
      data: { attempts: { increment: 1 } },
    });
    if (found.used) await revokeIssued(database, found);
    throw invalidGrant();
  }
  if (!found.used && !found.live) throw invalidGrant();
  const issued = found.used ? null : await redeem(database, found, prefix, exchange);
  if (issued) return issued;
  const used = await find(database, code);
  if (!used?.used) throw invalidGrant();
  return repeat(database, used, exchange);
}
