import type { ConfirmedAddress } from "#contract/alert-channel.ts";
import type { Caller } from "#server/access/caller.ts";
import { changeRecords } from "#server/audit/change.ts";
import { lockAuditChain } from "#server/audit/record.ts";
import type { Tx } from "#server/db/index.ts";
import { clock, dateAt } from "#server/platform/clock.ts";
import { sha256 } from "#server/platform/crypto.ts";
import { AppError } from "#server/platform/errors.ts";
import { randomToken, uuidv7 } from "#server/platform/ids.ts";
import { limits } from "#server/platform/limits.ts";
import { hastenNotifications } from "./channel-pause.ts";
import {
  addressKey,
  type ChannelRow,
  channelColumns,
  channelToWire,
  recordedChannel,
} from "./channel-rows.ts";
import type { AlertDeps } from "./deps.ts";

const {
  confirmationLifetimeMs,
  confirmationDayMs,
  confirmationsPerOrganisationMax,
  confirmationsPerAddressMax,
} = limits.alerts;

/** Those of these addresses that are verified addresses of members of an organisation, in lower case. */
export async function memberAddresses(
  tx: Tx,
  orgId: string,
  rows: readonly Pick<ChannelRow, "type" | "target">[],
): Promise<ReadonlySet<string>> {
  const addresses = rows.filter(({ type }) => type === "email").map(({ target }) => addressKey(target));
  if (addresses.length === 0) return new Set();
  const members = await tx.$queryRaw<{ email: string }[]>`
    select lower(email) as email from "user" join member on member.user_id = "user".id
    where member.org_id = ${orgId}::uuid and email_verified and lower(email) = any(${addresses})`;
  return new Set(members.map(({ email }) => email));
}

/** What a channel is on the wire, with whether its address may get alerts. */
export async function shownChannel(tx: Tx, row: ChannelRow) {
  return channelToWire(row, await memberAddresses(tx, row.org_id, [row]));
}

/** Whether another confirmation mail may be sent, and from when if not. The caller has locked the organisation. */
async function mayMail(tx: Tx, { org_id, target }: ChannelRow, nowMs: number): Promise<boolean> {
  const sent_at = { gt: dateAt(nowMs - confirmationDayMs) };
  await tx.alert_confirmation_mail.deleteMany({ where: { sent_at: { lte: sent_at.gt } } });
  const [ofOrganisation, toAddress] = [
    await tx.alert_confirmation_mail.count({ where: { org_id, sent_at } }),
    await tx.alert_confirmation_mail.count({
      where: { address_digest: sha256(addressKey(target)), sent_at },
    }),
  ];
  return ofOrganisation < confirmationsPerOrganisationMax && toAddress < confirmationsPerAddressMax;
}

/**
 * Mails a link to the address of a channel if it needs a confirmation. Only the digest of its token is stored, and an
 * earlier link is void. Without a mail if too many were sent in the last day. The caller has locked the organisation.
 */
export async function mailConfirmation(deps: AlertDeps, tx: Tx, row: ChannelRow): Promise<ChannelRow> {
  const { id, org_id, target } = row;
  const nowMs = clock.nowMs();
  if ((await shownChannel(tx, row)).confirmation !== "pending" || !(await mayMail(tx, row, nowMs)))
    return row;
  const token = randomToken(32);
  const expiresAt = dateAt(nowMs + confirmationLifetimeMs);
  const mail = { id: uuidv7(), org_id, address_digest: sha256(addressKey(target)), sent_at: dateAt(nowMs) };
  await tx.alert_confirmation_mail.create({ data: mail });
  const { name: organisation } = await tx.organisation.findUniqueOrThrow({
    where: { id: org_id },
    select: { name: true },
  });
  await deps.notifications.confirmAlerts(tx, { email: target, organisation, token, expiresAt });
  return tx.alert_channel.update({
    where: { id },
    data: { confirmation_digest: sha256(token), confirmation_expires_at: expiresAt },
    select: channelColumns,
  });
}

/** RATE_LIMIT_EXCEEDED: no confirmation mail can be sent today. */
export const tooManyMails = (): AppError =>
  new AppError(
    "RATE_LIMIT_EXCEEDED",
    `Not sent: in a day an address gets ${confirmationsPerAddressMax} confirmation mails at most, and an organisation ` +
      `sends ${confirmationsPerOrganisationMax}. Try again tomorrow`,
    { headers: { "retry-after": String(confirmationDayMs / 1_000) } },
  );

const gone = "This link is unknown, used or expired. Ask the sender for a new one.";

/** The channel that a link is for. Throws NOT_FOUND, with one message for all reasons. */
async function channelOf(tx: Tx, token: string): Promise<ChannelRow> {
  const row = await tx.alert_channel.findFirst({
    where: { confirmation_digest: sha256(token), confirmation_expires_at: { gt: dateAt(clock.nowMs()) } },
    select: channelColumns,
  });
  if (!row) throw new AppError("NOT_FOUND", gone, { param: "token" });
  return row;
}

/** Confirms an address with the token of its mail, once. What waits for it is sent. Throws NOT_FOUND. */
export async function confirmAddress(deps: AlertDeps, token: string): Promise<ConfirmedAddress> {
  const { database } = deps;
  const { id, org_id: orgId } = await channelOf(database.prisma, token);
  const owner: Caller = { kind: "system", orgId, userId: id, permissions: new Set() };
  const confirmed = await changeRecords(database, owner, "alert_channel.confirm", async (tx) => {
    await lockAuditChain(tx, orgId);
    const before = await channelOf(tx, token);
    const after = await tx.alert_channel.update({
      where: { id },
      data: { confirmed_at: dateAt(clock.nowMs()), confirmation_digest: null, confirmation_expires_at: null },
      select: { ...channelColumns, org: { select: { name: true } } },
    });
    const audit = {
      id,
      before: recordedChannel(await shownChannel(tx, before)),
      after: recordedChannel(await shownChannel(tx, after)),
    };
    return { result: { address: after.target, organisation: after.org.name }, audit };
  });
  await hastenNotifications(deps, id);
  return confirmed;
}
