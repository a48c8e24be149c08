import type { ChatMessage } from "#contract/chat.ts";
import type {
  StoredCompletion,
  StoredCompletionDeleted,
  StoredMessage,
  StoredMessageList,
  StoredMessageQuery,
} from "#contract/stored-completions.ts";
import type { Authorized } from "#server/access/authorize.ts";
import { changeRecords } from "#server/audit/change.ts";
import { AppError } from "#server/platform/errors.ts";
import { assertNotHeld, deleteExpired } from "#server/subjects/index.ts";
import { scopeOf, storedWithin } from "../responses/response-access.ts";
import { type CompletionDeps, completionOf, findCompletion, noSuchCompletion } from "./find-completion.ts";
import { openMessages, sealMetadata } from "./sealed-completion.ts";

type User = Authorized<"inference:use">;

/** `GET /chat/completions/{id}`. */
export async function getCompletion(
  deps: CompletionDeps,
  caller: User,
  id: string,
): Promise<StoredCompletion> {
  return completionOf(deps, await findCompletion(deps, caller, id));
}

/** `POST /chat/completions/{id}`: replaces the key-value pairs. */
export async function updateCompletion(
  deps: CompletionDeps,
  caller: User,
  completionId: string,
  metadata: StoredCompletion["metadata"] | null,
): Promise<StoredCompletion> {
  const row = await findCompletion(deps, caller, completionId, "change");
  const changed = { ...row, metadata: sealMetadata(deps.sealer, row, metadata ?? {}) };
  return changeRecords(deps.database, caller, "chat_completion.update", async (tx) => {
    const { count } = await tx.stored_completion.updateMany({
      where: { id: row.id, ...storedWithin(scopeOf(caller, "change")) },
      data: { metadata: changed.metadata },
    });
    if (count === 0) throw noSuchCompletion();
    return { result: completionOf(deps, changed), audit: { id: completionId } };
  });
}

/** `DELETE /chat/completions/{id}`. */
export async function deleteCompletion(
  deps: CompletionDeps,
  caller: User,
  completionId: string,
): Promise<StoredCompletionDeleted> {
  const { id } = await findCompletion(deps, caller, completionId, "change");
  await changeRecords(deps.database, caller, "chat_completion.delete", async (tx) => {
    await assertNotHeld(tx, "stored_completion", { id, orgId: caller.orgId });
    const where = { id, ...storedWithin(scopeOf(caller, "change")) };
    const { count } = await tx.stored_completion.deleteMany({ where });
    if (count === 0) throw noSuchCompletion();
    return { result: undefined, audit: { id: completionId } };
  });
  return { id: completionId, object: "chat.completion.deleted", deleted: true };
}

/** A message as OpenAI lists it: text and parts are separate members. */
const listed = (completionId: string, { content, ...message }: ChatMessage, at: number): StoredMessage => ({
  ...message,
  id: `${completionId}-${at}`,
  content: typeof content === "string" ? content : null,
  content_parts: Array.isArray(content) ? content : null,
});

/** `GET /chat/completions/{id}/messages`: the messages of the request. Throws BAD_REQUEST for an unknown `after`. */
export async function listMessages(
  deps: CompletionDeps,
  caller: User,
  completionId: string,
  { after, limit, order }: StoredMessageQuery,
): Promise<StoredMessageList> {
  const row = await findCompletion(deps, caller, completionId);
  const messages = openMessages(deps.sealer, row).map((message, at) => listed(completionId, message, at));
  const ordered = order === "desc" ? messages.toReversed() : messages;
  const begin = after === undefined ? 0 : ordered.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && begin === 0)
    throw new AppError("BAD_REQUEST", "after: no message has this id", { param: "after" });
  const data = ordered.slice(begin, begin + limit);
  return {
    object: "list",
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: begin + limit < ordered.length,
  };
}

/** Deletes expired chat completions, unless a legal hold concerns them. */
export async function purgeExpiredCompletions({ database }: Pick<CompletionDeps, "database">): Promise<void> {
  await deleteExpired(database, "stored_completion");
}
