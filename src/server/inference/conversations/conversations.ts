import type { ConversationCreate, ConversationDeleted, ConversationObject } from "#contract/conversations.ts";
import type { ResponseItem } from "#contract/response-items.ts";
import type { Authorized } from "#server/access/authorize.ts";
import { changeRecords } from "#server/audit/change.ts";
import { clock, dateAt, isoTime, unixSeconds } from "#server/platform/clock.ts";
import { AppError, notFound } from "#server/platform/errors.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { limits } from "#server/platform/limits.ts";
import { isLongJson } from "#server/platform/long-json.ts";
import type { Sealer } from "#server/platform/sealing.ts";
import { assertNotHeld, deleteExpired } from "#server/subjects/index.ts";
import { scopeOf, storedWithin } from "../responses/response-access.ts";
import { appendItems } from "./append-items.ts";
import { conversationIdOf } from "./conversation-id.ts";
import { type ConversationDeps, findConversation } from "./find-conversation.ts";
import { asConversationItems, sealItems } from "./sealed-items.ts";

type User = Authorized<"inference:use">;

interface Row {
  readonly id: string;
  readonly org_id: string;
  readonly metadata: string;
  readonly created_at: Date;
}

type Metadata = ConversationObject["metadata"];

const placeOf = ({ id, org_id }: Pick<Row, "id" | "org_id">) => ({
  table: "conversation",
  column: "metadata",
  rowId: id,
  orgId: org_id,
});

const sealMetadata = (sealer: Sealer, row: Pick<Row, "id" | "org_id">, metadata: Metadata): string =>
  sealer.seal(JSON.stringify(metadata), placeOf(row));

/** A conversation as the API shows it. */
export const conversationOfRow = (
  { sealer }: Pick<ConversationDeps, "sealer">,
  row: Row,
): ConversationObject => ({
  id: conversationIdOf(row.id),
  object: "conversation",
  created_at: unixSeconds(row.created_at.getTime()),
  metadata: JSON.parse(sealer.open(row.metadata, placeOf(row))) as Metadata,
});

/**
 * Refuses items that cannot be stored: references to others, and more text than a response may store. Throws
 * BAD_REQUEST or PAYLOAD_TOO_LARGE.
 */
export function assertStorable(items: readonly ResponseItem[]): void {
  const at = items.findIndex(({ type }) => type === "item_reference");
  const param = `items.${at}.type`;
  if (at !== -1)
    throw new AppError("BAD_REQUEST", `${param}: must be a complete item, not a reference`, { param });
  const { storedCharsMax: max } = limits.responses;
  if (isLongJson(items, max))
    throw new AppError("PAYLOAD_TOO_LARGE", `items: may have at most ${max} characters together`, {
      param: "items",
      metadata: { bytes_max: max },
    });
}

/** `POST /conversations`. */
export async function createConversation(
  deps: ConversationDeps,
  caller: User,
  { items, metadata }: ConversationCreate,
): Promise<ConversationObject> {
  const { database, sealer, retentionMs } = deps;
  const given = items ?? [];
  assertStorable(given);
  const key = caller.kind === "key" ? caller : null;
  const nowMs = clock.nowMs();
  const place = { id: uuidv7(), org_id: caller.orgId };
  const row = {
    ...place,
    workspace_id: key?.workspaceId ?? null,
    api_key_id: key?.keyId ?? null,
    user_id: caller.userId,
    metadata: sealMetadata(sealer, place, metadata ?? {}),
    created_at: dateAt(nowMs),
    expires_at: dateAt(nowMs + retentionMs),
  };
  const { id, org_id } = row;
  const sealed = sealItems(sealer, org_id, asConversationItems(given));
  return changeRecords(database, caller, "conversation.create", async (tx) => {
    await tx.conversation.create({ data: row });
    const expiresAt = isoTime(nowMs + retentionMs);
    if (sealed.length > 0)
      await appendItems(tx, { id, orgId: org_id, generationId: null, expiresAt }, sealed);
    return { result: conversationOfRow(deps, row), audit: { id: conversationIdOf(id) } };
  });
}

/** `GET /conversations/{id}`. */
export async function getConversation(
  deps: ConversationDeps,
  caller: User,
  conversationId: string,
): Promise<ConversationObject> {
  return conversationOfRow(deps, await findConversation(deps, caller, conversationId, { use: "read" }));
}

/** `POST /conversations/{id}`: replaces the key-value pairs. */
export async function updateConversation(
  deps: ConversationDeps,
  caller: User,
  conversationId: string,
  metadata: Metadata | null,
): Promise<ConversationObject> {
  const row = await findConversation(deps, caller, conversationId, { use: "change" });
  const changed = { ...row, metadata: sealMetadata(deps.sealer, row, metadata ?? {}) };
  return changeRecords(deps.database, caller, "conversation.update", async (tx) => {
    const { count } = await tx.conversation.updateMany({
      where: { id: row.id, ...storedWithin(scopeOf(caller, "change")) },
      data: { metadata: changed.metadata },
    });
    if (count === 0) throw notFound("conversation", "conversation_id");
    return { result: conversationOfRow(deps, changed), audit: { id: conversationId } };
  });
}

/** `DELETE /conversations/{id}`: deletes it with its items. Stored responses that were made in it remain. */
export async function deleteConversation(
  deps: ConversationDeps,
  caller: User,
  conversationId: string,
): Promise<ConversationDeleted> {
  const { id } = await findConversation(deps, caller, conversationId, { use: "change" });
  await changeRecords(deps.database, caller, "conversation.delete", async (tx) => {
    await assertNotHeld(tx, "conversation", { id, orgId: caller.orgId });
    const where = { id, ...storedWithin(scopeOf(caller, "change")) };
    const { count } = await tx.conversation.deleteMany({ where });
    if (count === 0) throw notFound("conversation", "conversation_id");
    return { result: undefined, audit: { id: conversationId } };
  });
  return { id: conversationId, object: "conversation.deleted", deleted: true };
}

/** Deletes expired conversations with their items, unless a legal hold concerns them. */
export async function purgeExpiredConversations({
  database,
}: Pick<ConversationDeps, "database">): Promise<void> {
  await deleteExpired(database, "conversation");
}
