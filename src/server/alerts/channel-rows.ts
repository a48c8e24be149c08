import { z } from "zod";
import { type AlertChannel, AlertChannelType, type AlertConfirmation } from "#contract/alert-channel.ts";
import type { Prisma } from "#generated/prisma/client.ts";
import { readColumns } from "#server/db/index.ts";
import type { SealedPlace, Sealer } from "#server/platform/sealing.ts";

export const channelColumns = {
  id: true,
  org_id: true,
  name: true,
  type: true,
  target: true,
  secrets: true,
  is_signed: true,
  failures: true,
  paused_until: true,
  paused_since: true,
  paused_reason: true,
  confirmed_at: true,
  confirmation_expires_at: true,
  created_at: true,
  updated_at: true,
} as const satisfies Prisma.alert_channelSelect;
export type ChannelRow = Prisma.alert_channelGetPayload<{ select: typeof channelColumns }>;

const ChannelSecrets = z.object({ address: z.string(), signing_secret: z.string().nullable() });
export type ChannelSecrets = z.infer<typeof ChannelSecrets>;

const placeOf = ({ id, org_id }: Pick<ChannelRow, "id" | "org_id">): SealedPlace => ({
  table: "alert_channel",
  column: "secrets",
  rowId: id,
  orgId: org_id,
});

/** Address and signing secret, for sending only. */
export const secretsOf = (
  sealer: Sealer,
  row: Pick<ChannelRow, "id" | "org_id" | "secrets">,
): ChannelSecrets => ChannelSecrets.parse(JSON.parse(sealer.open(row.secrets, placeOf(row))));

/** The columns that contain the address and the signing secret, or what may be shown of them. */
export const secretColumns = (
  sealer: Sealer,
  row: Pick<ChannelRow, "id" | "org_id"> & { readonly type: AlertChannelType },
  secrets: ChannelSecrets,
) => ({
  secrets: sealer.seal(JSON.stringify(secrets), placeOf(row)),
  target: row.type === "email" ? secrets.address : new URL(secrets.address).origin,
  is_signed: secrets.signing_secret !== null,
});

export const addressKey = (address: string): string => address.toLowerCase();

/** Whether an address may get alerts. `members` are the verified addresses of the organisation's members. */
export function confirmationOf(
  { type, target, confirmed_at }: Pick<ChannelRow, "type" | "target" | "confirmed_at">,
  members: ReadonlySet<string>,
): AlertConfirmation {
  if (type !== "email") return "not_needed";
  if (members.has(addressKey(target))) return "member";
  return confirmed_at === null ? "pending" : "confirmed";
}

const pauseOf = ({ paused_until, paused_since, paused_reason }: ChannelRow): AlertChannel["paused"] =>
  paused_until && {
    reason: paused_reason ?? "The receiver accepted nothing",
    since: (paused_since ?? paused_until).toISOString(),
    next_attempt_at: paused_until.toISOString(),
  };

/** A channel of an unknown type is shown as a webhook, with a problem. */
export const storedChannel = (row: Pick<ChannelRow, "type">) =>
  readColumns(row, { type: [AlertChannelType, "webhook"] });

export const channelToWire = (row: ChannelRow, members: ReadonlySet<string>): AlertChannel => ({
  id: row.id,
  name: row.name,
  ...storedChannel(row),
  target: row.target,
  is_signed: row.is_signed,
  paused: pauseOf(row),
  confirmation: confirmationOf(row, members),
  confirmation_expires_at: row.confirmation_expires_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

/** What the audit log records of a channel: nothing that changes by itself. */
export function recordedChannel({ paused: _, ...recorded }: AlertChannel) {
  return recorded;
}
