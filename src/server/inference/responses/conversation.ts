import { setImmediate as nextTurn } from "node:timers/promises";
import type { ResponseItem } from "#contract/response-items.ts";
import type { ResponseRequest } from "#contract/responses.ts";
import type { Caller } from "#server/access/caller.ts";
import { asInteractive } from "#server/db/index.ts";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { withSummaries } from "../compaction/compaction-item.ts";
import { conversationNamed } from "../conversations/conversation-id.ts";
import { assertRoom, findConversation, itemsOfConversation } from "../conversations/find-conversation.ts";
import { generationIdOf } from "../operations/responses/response-object.ts";
import { ownItems } from "../wires/openai-responses/prepared-response.ts";
import { type ResponseUse, scopeOf, storedWithin } from "./response-access.ts";
import type { ResponseDeps } from "./response-deps.ts";
import { openContent } from "./stored-content.ts";

type Reading = Pick<ResponseDeps, "database" | "sealer" | "responseSpool">;

interface Sealed {
  readonly id: string;
  readonly org_id: string;
  /** Null if they are too long together. */
  readonly content: string | null;
}

interface ChainRow extends Sealed {
  readonly previous_id: string | null;
  readonly status: string;
}

/** A response and those it continues, oldest first, in one query. */
async function readChain({ database }: Reading, caller: Caller, id: string): Promise<readonly ChainRow[]> {
  const { orgId, workspaceId, everybodys, keyId, userId } = scopeOf(caller);
  return database.prisma.$queryRaw<ChainRow[]>`
    with recursive reached as not materialized (
      select id, org_id, previous_id, status, content from stored_response
      where org_id = ${orgId}::uuid and expires_at > now()
        and (${workspaceId}::uuid is null or workspace_id = ${workspaceId}::uuid)
        and (${everybodys} or user_id = ${userId}::uuid or api_key_id = ${keyId}::uuid)
    ), chain as (
      select *, 0 as depth from reached where id = ${id}::uuid
      union all
      select reached.*, chain.depth + 1 from reached join chain on reached.id = chain.previous_id
      where chain.depth < ${limits.responses.chainMax}
    )
    select id, org_id, previous_id, status,
      case when (select sum(octet_length(content)) from chain) <= ${limits.responses.sealedBytesMax} then content end as content
    from chain order by depth desc`;
}

const tooLong = (param: string) =>
  new AppError("PAYLOAD_TOO_LARGE", `${param}: what it stands for is too long to be sent in one request`, {
    param,
  });

/** The items of stored responses, in order, with yields between them. */
async function itemsOf<Row extends Sealed>(
  { sealer }: Pick<Reading, "sealer">,
  rows: readonly Row[],
  outputs: (row: Row) => boolean,
  param: string,
): Promise<ResponseItem[]> {
  const items: ResponseItem[] = [];
  for (const row of rows) {
    const { id, org_id, content } = row;
    if (content === null) throw tooLong(param);
    const { input, response } = openContent(sealer, { id, org_id, content });
    items.push(...input);
    if (outputs(row)) items.push(...(response.output as ResponseItem[]));
    if (content.length > limits.stream.yieldEveryBytes) await nextTurn();
  }
  return items;
}

const continued = new Set(["completed", "incomplete"]);

const noSuch = (param: string, message: string) => new AppError("NOT_FOUND", message, { param });

/**
 * The items of a response and of all it continues. Throws NOT_FOUND if one of them is unknown, deleted, expired or
 * another caller's, so that a conversation never has gaps.
 */
async function itemsBefore(deps: Reading, caller: Caller, responseId: string): Promise<ResponseItem[]> {
  const param = "previous_response_id";
  const id = generationIdOf(responseId);
  if (id === null) throw noSuch(param, "No such response");
  await deps.responseSpool.flushed(id);
  const rows = await readChain(deps, caller, id);
  const last = rows.at(-1);
  if (!last) throw noSuch(param, "No such response");
  if (!continued.has(last.status))
    throw new AppError("BAD_REQUEST", `This response is ${last.status} and cannot be continued`, { param });
  if (rows[0]?.previous_id != null)
    throw noSuch(param, "A response this conversation builds on was deleted or has expired");
  return itemsOf(deps, rows, () => true, param);
}

/** Replaces references to items by the items. Throws NOT_FOUND for an unknown one. */
async function resolved(
  { database, sealer, responseSpool }: Reading,
  caller: Caller,
  items: readonly ResponseItem[],
): Promise<readonly ResponseItem[]> {
  const wanted = items.flatMap(({ type, id }) => (type === "item_reference" ? [String(id)] : []));
  if (wanted.length === 0) return items;
  await responseSpool.flushed();
  const named = await database.prisma.stored_response.findMany({
    where: { ...storedWithin(scopeOf(caller)), item_ids: { hasSome: wanted } },
    select: { id: true },
    take: limits.responses.referencesMax,
  });
  const ids = named.map(({ id }) => id);
  const rows = await database.prisma.$queryRaw<Sealed[]>`
    with named as (select id, org_id, content from stored_response where id = any(${ids}::uuid[]))
    select id, org_id,
      case when (select sum(octet_length(content)) from named) <= ${limits.responses.sealedBytesMax} then content end as content
    from named`;
  const known = new Map<unknown, ResponseItem>();
  for (const item of await itemsOf({ sealer }, rows, () => true, "input")) known.set(item.id, item);
  return items.map((item, at) => {
    if (item.type !== "item_reference") return item;
    const found = known.get(item.id);
    if (!found) throw noSuch(`input.${at}.id`, "No such item");
    return found;
  });
}

type Continuing = Pick<ResponseRequest, "input" | "previous_response_id" | "conversation">;

/** The items that precede those of a request, and the row of its conversation. Throws as `conversationOf`. */
async function readBefore(deps: Reading, caller: Caller, request: Continuing, use: ResponseUse) {
  const { previous_response_id: previous } = request;
  const named = conversationNamed(request);
  if (named === null) return { row: null, before: previous ? await itemsBefore(deps, caller, previous) : [] };
  const param = "conversation";
  const row = await findConversation(deps, caller, named, { use, param });
  return { row, before: await itemsOfConversation(deps, row, param) };
}

/** Whether a request can be understood only with stored data. */
const namesStored = (request: Continuing): boolean =>
  request.previous_response_id != null ||
  request.conversation != null ||
  ownItems(request).some(({ type }) => type === "item_reference");

/**
 * The items of a request and everything before them, and the row of the conversation it names: it is read only, or
 * will be changed. Queries the database only if the request references stored data. Throws NOT_FOUND, FORBIDDEN, and
 * PAYLOAD_TOO_LARGE if the conversation has no room for the request.
 */
export async function conversationOf(
  deps: Reading,
  caller: Caller,
  request: Continuing,
  use: ResponseUse = "change",
) {
  const read = async () => {
    const { row, before } = await readBefore(deps, caller, request, use);
    const own = await resolved(deps, caller, ownItems(request));
    if (row) assertRoom(before.length + own.length, "conversation");
    const items = before.length === 0 ? own : [...before, ...own];
    return { own, items: withSummaries(deps.sealer, caller.orgId, items), conversation: row };
  };
  return namesStored(request) ? asInteractive(caller.orgId, read) : read();
}

/** The items of a request and everything before them, with encrypted summaries as they are. Throws NOT_FOUND. */
export async function sealedConversationOf(
  deps: Reading,
  caller: Caller,
  request: Continuing,
): Promise<readonly ResponseItem[]> {
  const read = async () => {
    const { before } = await readBefore(deps, caller, request, "read");
    return [...before, ...(await resolved(deps, caller, ownItems(request)))];
  };
  return namesStored(request) ? asInteractive(caller.orgId, read) : read();
}

/** The input items of a stored response, oldest first. */
export async function inputOf(deps: Reading, caller: Caller, id: string): Promise<ResponseItem[]> {
  const rows = await readChain(deps, caller, id);
  return itemsOf(deps, rows, (row) => row !== rows.at(-1), "response_id");
}
