import type { SystemCaller } from "#server/access/caller.ts";
import { record } from "#server/audit/record.ts";
import type { Database, Tx } from "#server/db/client.ts";
import { clock, dateAt } from "#server/platform/clock.ts";
import type { Config } from "#server/platform/env.ts";
import { randomBase62, uuidv7 } from "#server/platform/ids.ts";
import { hashPassword } from "./password.ts";

export interface FirstAdministrator {
  readonly orgId: string;
  readonly userId: string;
  /** The program itself, acting for the new organisation: for the other rows that the first start writes. */
  readonly caller: SystemCaller;
}

export interface FirstAccount {
  readonly email: string;
  /** Shown once. Null if the operator chose the password. */
  readonly generatedPassword: string | null;
}

/** What other areas add, each in the transaction that makes the account. */
export interface FirstRows {
  /** Gives the new organisation its starting credit. */
  addStartingCredit(tx: Tx, administrator: FirstAdministrator): Promise<void>;
  /** Stores the first key, replacing one that was not shown. Returns the row's id. */
  storeFirstKey(tx: Tx, administrator: FirstAdministrator, replacedId: string | null): Promise<string>;
}

type Credentials = Pick<Config, "ADMIN_EMAIL" | "ADMIN_PASSWORD">;

/** Processes that start together on an empty database take turns by this lock. */
const bootstrapLock = 7_261_145_523;
const rowId = 1;

async function createAccount(tx: Tx, email: string, passwordHash: string): Promise<FirstAdministrator> {
  const [orgId, userId] = [uuidv7(), uuidv7()];
  const caller: SystemCaller = { kind: "system", orgId, userId, permissions: new Set() };
  await tx.organisation.create({ data: { id: orgId, name: "My organisation", slug: "my-organisation" } });
  await tx.user.create({ data: { id: userId, name: "Administrator", email, email_verified: true } });
  await tx.account.create({
    data: { account_id: userId, provider_id: "credential", user_id: userId, password: passwordHash },
  });
  await tx.member.create({ data: { org_id: orgId, user_id: userId, role: "owner" } });
  await record(tx, caller, {
    action: "organisation.create",
    subject: { type: "organisation", id: orgId },
    after: { name: "My organisation", owner: email },
  });
  return { orgId, userId, caller };
}

/** Replaces the password of the first administrator. Returns null if the account no longer exists. */
async function replaceSecrets(
  tx: Tx,
  userId: string,
  email: string,
  passwordHash: string,
): Promise<FirstAdministrator | null> {
  const member = await tx.member.findFirst({ where: { user_id: userId }, select: { org_id: true } });
  if (!member) return null;
  const caller: SystemCaller = { kind: "system", orgId: member.org_id, userId, permissions: new Set() };
  await tx.user.update({ where: { id: userId }, data: { email } });
  await tx.account.updateMany({
    where: { user_id: userId, provider_id: "credential" },
    data: { password: passwordHash },
  });
  await tx.session.deleteMany({ where: { user_id: userId } });
  await record(tx, caller, { action: "person.password_reset", subject: { type: "user", id: userId } });
  return { orgId: member.org_id, userId, caller };
}

/** A domain reserved for private use, so that validators accept the address. */
const usualEmail = "admin@portolan.internal";

type State = { readonly user_id: string; readonly api_key_id: string } | "none" | "over";

/** The state of the first start: nothing made, made and not shown, or done. */
async function stateOf(db: Tx | Database["prisma"]): Promise<State> {
  const row = await db.first_start.findUnique({ where: { id: rowId } });
  if (row) return row.shown_at === null ? row : "over";
  return (await db.user.findFirst({ select: { id: true } })) === null ? "none" : "over";
}

/** Whether the credentials were shown, or the account was made by other means. */
export const isFirstStartOver = async (database: Database): Promise<boolean> =>
  (await stateOf(database.prisma)) === "over";

/**
 * Makes the first person and organisation if the database has no person. If an earlier start made them and ended
 * before it showed password and key, both are replaced. Returns null if the first start is done.
 */
export async function prepareFirstAdministrator(
  database: Database,
  { ADMIN_EMAIL, ADMIN_PASSWORD }: Credentials,
  { addStartingCredit, storeFirstKey }: FirstRows,
): Promise<FirstAccount | null> {
  if (await isFirstStartOver(database)) return null;
  const email = (ADMIN_EMAIL ?? usualEmail).toLowerCase();
  const password = ADMIN_PASSWORD ?? randomBase62(20);
  const passwordHash = await hashPassword(password);
  return database.transaction(async (tx) => {
    await tx.$executeRaw`select pg_advisory_xact_lock(${bootstrapLock}::bigint)`;
    const state = await stateOf(tx);
    if (state === "over") return null;
    const isNew = state === "none";
    const administrator = isNew
      ? await createAccount(tx, email, passwordHash)
      : await replaceSecrets(tx, state.user_id, email, passwordHash);
    if (!administrator) return null;
    if (isNew) await addStartingCredit(tx, administrator);
    const apiKeyId = await storeFirstKey(tx, administrator, isNew ? null : state.api_key_id);
    const made = { user_id: administrator.userId, api_key_id: apiKeyId };
    await tx.first_start.upsert({ where: { id: rowId }, create: made, update: made });
    return { email, generatedPassword: ADMIN_PASSWORD ? null : password };
  });
}

/** Records that password and key were shown, so that no later start replaces them. */
export async function finishFirstStart(database: Database): Promise<void> {
  await database.prisma.first_start.updateMany({
    where: { id: rowId },
    data: { shown_at: dateAt(clock.nowMs()) },
  });
}
