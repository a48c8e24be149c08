import {
  type AlertChannel,
  type AlertChannelCreate,
  type AlertChannelListQuery,
  type AlertChannelTest,
  type AlertChannelType,
  type AlertChannelUpdate,
  channelAddresses,
} from "#contract/alert-channel.ts";
import { alertChannelTexts } from "#contract/alert-texts.ts";
import type { Prisma } from "#generated/prisma/client.ts";
import type { Authorized } from "#server/access/authorize.ts";
import { changeRecords } from "#server/audit/change.ts";
import { lockAuditChain } from "#server/audit/record.ts";
import { containing, newestFirst, type Page, readPage, reporting, type Tx } from "#server/db/index.ts";
import { isSigningSecret } from "#server/destinations/index.ts";
import { clock } from "#server/platform/clock.ts";
import { AppError, found } from "#server/platform/errors.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { limits } from "#server/platform/limits.ts";
import { hastenNotifications, notPaused, recordChannelSuccess } from "./channel-pause.ts";
import {
  addressKey,
  type ChannelRow,
  type ChannelSecrets,
  channelColumns,
  channelToWire,
  recordedChannel,
  secretColumns,
  secretsOf,
  storedChannel,
} from "./channel-rows.ts";
import { NotAccepted, sendOver } from "./channel-senders.ts";
import { mailConfirmation, memberAddresses, shownChannel, tooManyMails } from "./confirmations.ts";
import type { AlertDeps } from "./deps.ts";
import { testMessage } from "./message.ts";

type Reader = Authorized<"alerts:read", "organisation">;
type Writer = Authorized<"alerts:write", "organisation">;

const findChannel = async (tx: Tx, { orgId }: Reader | Writer, id: string): Promise<ChannelRow> =>
  found(
    await tx.alert_channel.findFirst({ where: { id, org_id: orgId }, select: channelColumns }),
    "channel",
    "id",
  );

/** The columns of a channel whose address nobody has confirmed. */
const notConfirmed = { confirmed_at: null, confirmation_digest: null, confirmation_expires_at: null };

const noMailServer = "e-mail needs a mail server: the operator must set SMTP_URL";

const refused = (param: string, message: string): AppError =>
  new AppError("BAD_REQUEST", `${param}: ${message}`, { param });

/** Refuses at once what every notification would be refused for. */
async function assertUsable(
  { outbound, mailer }: AlertDeps,
  type: AlertChannelType,
  { address, signing_secret }: ChannelSecrets,
): Promise<void> {
  const { error } = channelAddresses[type].safeParse(address);
  if (error) throw refused("address", error.issues[0]?.message ?? "is invalid");
  if (signing_secret !== null && !alertChannelTexts[type].signs)
    throw refused("signing_secret", "is for channels of the type webhook only");
  if (signing_secret !== null && !isSigningSecret(signing_secret))
    throw refused("signing_secret", "must be whsec_ and 24 to 64 bytes in base64");
  if (type === "email") {
    if (!mailer) throw refused("type", noMailServer);
    return;
  }
  const refusal = await outbound.refusal(new URL(address));
  if (refusal !== null) throw refused("address", refusal);
}

/** The address and the signing secret of a channel, for comparison only: they are never shown. */
export const channelSecrets = async (
  { database, sealer }: AlertDeps,
  caller: Writer | Reader,
  id: string,
): Promise<ChannelSecrets> => secretsOf(sealer, await findChannel(database.prisma, caller, id));

/** Returns the channels of the caller's organisation, the newest first. */
export async function listChannels(
  { database: { prisma, reportRow } }: AlertDeps,
  { orgId }: Reader,
  { search, type, ...paging }: AlertChannelListQuery,
): Promise<Page<AlertChannel>> {
  const contains = containing(search ?? "");
  const where: Prisma.alert_channelWhereInput = {
    org_id: orgId,
    ...(search !== undefined && { OR: [{ name: contains }, { target: contains }] }),
    ...(type !== undefined && { type }),
  };
  return readPage(paging, {
    rows: (window) =>
      prisma.alert_channel.findMany({ where, select: channelColumns, orderBy: newestFirst, ...window }),
    count: () => prisma.alert_channel.count({ where }),
    async toWire(rows) {
      const members = await memberAddresses(prisma, orgId, rows);
      return reporting(
        reportRow,
        "alert_channel",
        rows.map((row) => channelToWire(row, members)),
      );
    },
  });
}

export const getChannel = async (
  { database }: AlertDeps,
  caller: Reader,
  id: string,
): Promise<AlertChannel> => shownChannel(database.prisma, await findChannel(database.prisma, caller, id));

export async function createChannel(
  deps: AlertDeps,
  caller: Writer,
  { name, type, address, signing_secret }: AlertChannelCreate,
): Promise<AlertChannel> {
  const secrets = { address, signing_secret: signing_secret ?? null };
  await assertUsable(deps, type, secrets);
  const made = await changeRecords(deps.database, caller, "alert_channel.create", async (tx) => {
    // Creations are serialized, so that two of them cannot both pass the limit.
    await lockAuditChain(tx, caller.orgId);
    const max = limits.alerts.channelsPerOrganisationMax;
    if ((await tx.alert_channel.count({ where: { org_id: caller.orgId } })) >= max)
      throw new AppError("CONFLICT", `An organisation may have ${max} alert channels at most`);
    const row = { id: uuidv7(), org_id: caller.orgId, type };
    const created = await tx.alert_channel.create({
      data: { ...row, name, ...secretColumns(deps.sealer, row, secrets) },
      select: channelColumns,
    });
    const result = await shownChannel(tx, await mailConfirmation(deps, tx, created));
    return { result, audit: { id: created.id, after: recordedChannel(result) } };
  });
  deps.notifications.post();
  return made;
}

/** Changes only what is sent. */
export async function updateChannel(
  deps: AlertDeps,
  caller: Writer,
  { id, name, address, signing_secret }: AlertChannelUpdate,
): Promise<AlertChannel> {
  const changed = (row: ChannelRow): ChannelSecrets => {
    const stored = secretsOf(deps.sealer, row);
    return {
      address: address ?? stored.address,
      signing_secret: signing_secret === undefined ? stored.signing_secret : signing_secret,
    };
  };
  const hasSecrets = address !== undefined || signing_secret !== undefined;
  const row = await findChannel(deps.database.prisma, caller, id);
  const { type, problem } = storedChannel(row);
  if (problem !== null)
    throw new AppError("CONFLICT", `The channel cannot be read; delete it and create it again: ${problem}`);
  // Names are resolved before the transaction.
  if (hasSecrets) await assertUsable(deps, type, changed(row));
  const isMoved = (before: ChannelRow) =>
    address !== undefined && addressKey(secretsOf(deps.sealer, before).address) !== addressKey(address);
  const updated = await changeRecords(deps.database, caller, "alert_channel.update", async (tx) => {
    await lockAuditChain(tx, caller.orgId);
    const before = await findChannel(tx, caller, id);
    const after = await tx.alert_channel.update({
      where: { id, org_id: caller.orgId },
      data: {
        ...(name !== undefined && { name }),
        ...(hasSecrets && {
          ...secretColumns(deps.sealer, { ...before, type }, changed(before)),
          ...notPaused,
        }),
        ...(isMoved(before) && notConfirmed),
      },
      select: channelColumns,
    });
    const asked = isMoved(before) ? await mailConfirmation(deps, tx, after) : after;
    const [result, earlier] = [await shownChannel(tx, asked), await shownChannel(tx, before)];
    return { result, audit: { id, before: recordedChannel(earlier), after: recordedChannel(result) } };
  });
  deps.notifications.post();
  if (row.paused_until !== null && updated.paused === null) await hastenNotifications(deps, id);
  return updated;
}

/** Deletes a channel with its notifications. Throws CONFLICT while a rule uses it. */
export async function deleteChannel({ database }: AlertDeps, caller: Writer, id: string): Promise<void> {
  await changeRecords(database, caller, "alert_channel.delete", async (tx) => {
    const before = await findChannel(tx, caller, id);
    // Rules that begin to use it wait.
    await tx.$queryRaw`select id from alert_channel where id = ${id}::uuid for update`;
    const user = await tx.alert_rule_channel.findFirst({
      where: { channel_id: id },
      select: { rule: { select: { name: true } } },
    });
    if (user)
      throw new AppError("CONFLICT", `The rule “${user.rule.name}” uses this channel; remove it there first`);
    await tx.alert_channel.delete({ where: { id, org_id: caller.orgId } });
    const audit = { id, before: recordedChannel(await shownChannel(tx, before)) };
    return { result: undefined, audit };
  });
}

/** Mails another link. Throws CONFLICT if none is needed, and RATE_LIMIT_EXCEEDED after too many mails in a day. */
export async function askAgain(deps: AlertDeps, caller: Writer, id: string): Promise<AlertChannel> {
  const asked = await changeRecords(deps.database, caller, "alert_channel.ask_confirmation", async (tx) => {
    await lockAuditChain(tx, caller.orgId);
    const before = await findChannel(tx, caller, id);
    const earlier = await shownChannel(tx, before);
    if (earlier.confirmation !== "pending")
      throw new AppError("CONFLICT", "This channel needs no confirmation: it gets alerts already");
    if (!deps.mailer) throw new AppError("CONFLICT", noMailServer);
    const after = await mailConfirmation(deps, tx, before);
    if (after === before) throw tooManyMails();
    const result = await shownChannel(tx, after);
    return { result, audit: { id, before: recordedChannel(earlier), after: recordedChannel(result) } };
  });
  deps.notifications.post();
  return asked;
}

/** Sends a test, and returns whether the receiver accepted it. If so, a pause of the channel ends. */
export async function testChannel(deps: AlertDeps, caller: Writer, id: string): Promise<AlertChannelTest> {
  const row = await findChannel(deps.database.prisma, caller, id);
  const { type, problem } = storedChannel(row);
  if (problem !== null)
    return { success: false, message: `Not sent: the channel cannot be read. ${problem}` };
  if ((await shownChannel(deps.database.prisma, row)).confirmation === "pending")
    return { success: false, message: "Not sent: the owner of the address has not confirmed it yet" };
  try {
    await sendOver(type, deps, {
      secrets: secretsOf(deps.sealer, row),
      id: uuidv7(),
      message: testMessage(clock.nowMs(), deps.publicUrl),
    });
    await recordChannelSuccess(deps, id);
    return { success: true, message: "The receiver accepted the test" };
  } catch (error) {
    if (!(error instanceof NotAccepted)) throw error;
    return { success: false, message: `The receiver did not accept the test. ${error.message}` };
  }
}
