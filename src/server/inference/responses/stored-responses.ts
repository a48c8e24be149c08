import type { ResponseObject } from "#contract/response-object.ts";
import type { InputItemList, InputItemQuery, ResponseDeleted } from "#contract/stored-responses.ts";
import type { Authorized } from "#server/access/authorize.ts";
import type { Caller } from "#server/access/caller.ts";
import { changeRecords } from "#server/audit/change.ts";
import { notFound } from "#server/platform/errors.ts";
import { assertNotHeld, deleteExpired } from "#server/subjects/index.ts";
import { generationIdOf } from "../operations/responses/response-object.ts";
import { inputOf } from "./conversation.ts";
import { pageOfItems } from "./item-page.ts";
import { mayOnlyRead, type ResponseUse, scopeOf, storedWithin } from "./response-access.ts";
import type { ResponseDeps } from "./response-deps.ts";
import { openContent } from "./stored-content.ts";

type Reading = Pick<ResponseDeps, "database" | "sealer" | "responseSpool">;

const noSuchResponse = () => notFound("response", "response_id");

/**
 * The row of a response the caller may use. Throws NOT_FOUND, also for responses of others, and FORBIDDEN for one
 * that may be read and not changed.
 */
export async function findStored(
  { database, responseSpool }: Reading,
  caller: Caller,
  responseId: string,
  use: ResponseUse = "read",
) {
  const id = generationIdOf(responseId);
  if (id === null) throw noSuchResponse();
  await responseSpool.flushed(id);
  const find = (by: ResponseUse) =>
    database.prisma.stored_response.findFirst({ where: { id, ...storedWithin(scopeOf(caller, by)) } });
  const row = await find(use);
  if (row) return row;
  throw use === "change" && (await find("read")) ? mayOnlyRead() : noSuchResponse();
}

type StoredRow = Awaited<ReturnType<typeof findStored>>;

/** The current response: for a background one the row's status is newer than the object's. */
export function responseOf({ sealer }: Pick<Reading, "sealer">, row: StoredRow): ResponseObject {
  const { response } = openContent(sealer, row);
  return { ...response, status: row.status as ResponseObject["status"] };
}

/** `GET /responses/{id}`. */
export async function getResponse(
  deps: Reading,
  caller: Authorized<"inference:use">,
  responseId: string,
): Promise<ResponseObject> {
  return responseOf(deps, await findStored(deps, caller, responseId));
}

/** `DELETE /responses/{id}`: deletes it and its events; responses that continue it can no longer be continued. */
export async function deleteResponse(
  deps: Reading,
  caller: Authorized<"inference:use">,
  responseId: string,
): Promise<ResponseDeleted> {
  const { id } = await findStored(deps, caller, responseId, "change");
  await changeRecords(deps.database, caller, "response.delete", async (tx) => {
    await assertNotHeld(tx, "stored_response", { id, orgId: caller.orgId });
    const where = { id, ...storedWithin(scopeOf(caller, "change")) };
    const { count } = await tx.stored_response.deleteMany({ where });
    if (count === 0) throw noSuchResponse();
    return { result: undefined, audit: { id: responseId } };
  });
  return { id: responseId, object: "response", deleted: true };
}

/** `GET /responses/{id}/input_items`: everything the response was answered from. */
export async function listInputItems(
  deps: Reading,
  caller: Authorized<"inference:use">,
  responseId: string,
  query: InputItemQuery,
): Promise<InputItemList> {
  const { id } = await findStored(deps, caller, responseId);
  return pageOfItems(await inputOf(deps, caller, id), query);
}

/** Deletes expired responses, unless a legal hold concerns them. */
export async function purgeExpiredResponses({ database }: Pick<Reading, "database">): Promise<void> {
  await deleteExpired(database, "stored_response");
}
