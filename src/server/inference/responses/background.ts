import { errorTable } from "#contract/errors.ts";
import type { ResponseItem } from "#contract/response-items.ts";
import type { ResponseObject } from "#contract/response-object.ts";
import type { Authorized } from "#server/access/authorize.ts";
import type { Caller } from "#server/access/caller.ts";
import { asInteractive } from "#server/db/index.ts";
import { clock, isoTime, unixSeconds } from "#server/platform/clock.ts";
import { AppError, toAppError } from "#server/platform/errors.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { limits } from "#server/platform/limits.ts";
import { appendItems } from "../conversations/append-items.ts";
import { responsesWith } from "../operations/responses/operation.ts";
import { eventFrame, responseErrorOf } from "../operations/responses/presenter.ts";
import { begunState, responseIdOf, settingsOf } from "../operations/responses/response-object.ts";
import { asKey, type KeyCaller, planFor } from "../pipeline/admit.ts";
import { isRefusal } from "../pipeline/refusal.ts";
import { type Answer, serve } from "../pipeline/serve.ts";
import type { PreparedResponse } from "../wires/openai-responses/prepared-response.ts";
import { addEvents } from "./events.ts";
import type { ResponseDeps } from "./response-deps.ts";
import { appendedBy, rowOf } from "./store-response.ts";
import { idsOf, openContent, sealContent } from "./stored-content.ts";
import { findStored, responseOf } from "./stored-responses.ts";

const ignore = () => {};

/** The events of a queued response. */
function waitingFrames(response: ResponseObject): string {
  const json = `"response":${JSON.stringify(response)}}`;
  return eventFrame("response.created", 0, json) + eventFrame("response.queued", 1, json);
}

/**
 * Queues a response and answers immediately. Unroutable requests are refused now. The response and its job are
 * created in one transaction.
 */
export async function beginBackground(
  deps: ResponseDeps,
  caller: Caller,
  request: PreparedResponse,
  own: readonly ResponseItem[],
  signal: AbortSignal,
): Promise<Answer<ResponseObject>> {
  const key = asKey(caller);
  planFor(deps.inference, key, responsesWith(ignore), request);
  const id = uuidv7();
  const by = { model: request.model ?? request.models?.[0] ?? "", provider: null };
  const created = unixSeconds(clock.nowMs());
  const tier = request.service_tier ?? "default";
  const response = {
    ...begunState(responseIdOf(id), created, "queued", by, tier),
    ...settingsOf(request),
  };
  const row = rowOf(deps, { caller: key, request, own, response }, request);
  const store = () =>
    deps.database.transaction(async (tx) => {
      await tx.stored_response.create({ data: row });
      if (request.stream) await addEvents(deps, tx, row, 0, waitingFrames(response));
      await deps.queue.enqueue(tx, "background-response", { id });
    });
  await asInteractive(key.orgId, store);
  deps.queue.wake("background-response");
  const headers = { "x-generation-id": id };
  if (!request.stream) return { headers, body: response };
  return { headers, frames: deps.followers.follow(row, -1, signal) };
}

interface Running {
  readonly id: string;
  readonly org_id: string;
  readonly api_key_id: string;
  readonly content: string;
}

/**
 * Stores the end and appends it to its conversation, unless the response was cancelled or ended by another process in
 * the meantime.
 */
async function end(deps: ResponseDeps, row: Running, response: ResponseObject): Promise<void> {
  const { sealer, retentionMs } = deps;
  const { input } = openContent(sealer, row);
  const appended = appendedBy({ sealer }, { orgId: row.org_id, own: input, response });
  await deps.database.transaction(async (tx) => {
    const { count } = await tx.stored_response.updateMany({
      where: { id: row.id, status: "in_progress" },
      data: {
        status: response.status,
        content: sealContent(sealer, row, { input, response }),
        item_ids: [...idsOf(input), ...idsOf(response.output)],
      },
    });
    if (count === 0 || !appended) return;
    const expiresAt = isoTime(clock.nowMs() + retentionMs);
    await appendItems(
      tx,
      { id: appended.id, orgId: row.org_id, generationId: row.id, expiresAt },
      appended.items,
    );
  });
}

type Reason = { readonly code: string; readonly message: string; readonly errorType?: string };

/** The error of the response object if no provider could answer. */
function reasonOf(error: AppError): Reason {
  const { availability, error_type: errorType } = error.metadata as {
    availability?: { excluded_by?: readonly string[] };
    error_type?: string;
  };
  const words = availability?.excluded_by ?? [];
  const { code, message } = error;
  const kind = errorType ?? errorTable[code].kind;
  if (words.length > 0 && words.every((word) => word === "data_region"))
    return { code: "data_residency_mismatch", message, errorType: kind };
  return { ...responseErrorOf({ code, message, errorType: kind }), errorType: kind };
}

/** Ends a response that has no answer. Its stream, if it has one, reports that when it is read. */
async function fail(
  deps: ResponseDeps,
  row: Running,
  { errorType = "server", ...error }: Reason,
): Promise<void> {
  const { response } = openContent(deps.sealer, row);
  await end(deps, row, { ...response, status: "failed", error, error_type: errorType });
}

const crashed: Reason = {
  code: "server_error",
  message: "The process that worked on this response ended before the response did",
};

/** Aborts when the response is cancelled, in whatever process. */
function watchCancellation(
  { database, inference: { log } }: ResponseDeps,
  id: string,
  cancelled: AbortController,
) {
  const look = async () => {
    const row = await database.prisma.stored_response.findUnique({ where: { id }, select: { status: true } });
    if (row?.status !== "in_progress") cancelled.abort();
  };
  return setInterval(() => {
    look().catch((error: unknown) =>
      log.debug(
        { event: "responses", generation_id: id, error },
        "A background response could not be checked for cancellation",
      ),
    );
  }, limits.responses.cancelNoticedMs);
}

async function answer(
  deps: ResponseDeps,
  caller: KeyCaller,
  row: Running,
  request: PreparedResponse,
  signal: AbortSignal,
): Promise<void> {
  let response: ResponseObject | null = null;
  const operation = responsesWith((ended) => {
    response = ended;
  });
  const served = await serve(deps.inference, caller, operation, request, {
    requestId: row.id,
    appTitle: null,
    generationId: row.id,
    signal,
    totalTimeoutMs: limits.responses.backgroundTimeoutMs,
  });
  if (served.frames) await addEvents(deps, deps.database.prisma, row, 2, served.frames);
  if (response) await end(deps, row, response);
}

/**
 * Answers one queued response. If the job runs a second time, the response is in progress: the first process is dead
 * and its output was billed, so the response has failed.
 */
export async function runBackground(deps: ResponseDeps, id: string, timeUp: AbortSignal): Promise<void> {
  const { stored_response: responses } = deps.database.prisma;
  const { count } = await responses.updateMany({
    where: { id, status: "queued" },
    data: { status: "in_progress" },
  });
  const row = await responses.findUnique({ where: { id } });
  if (row?.status !== "in_progress") return;
  if (count === 0) return fail(deps, row, crashed);
  const { request } = openContent(deps.sealer, row);
  const caller = deps.callerOfKey(row.api_key_id);
  if (!request || caller?.kind !== "key")
    return fail(deps, row, {
      code: "server_error",
      message: "The API key of this response is no longer valid, or its organisation is suspended",
    });
  const cancelled = new AbortController();
  const watching = watchCancellation(deps, id, cancelled);
  try {
    await answer(deps, caller, row, request, AbortSignal.any([cancelled.signal, timeUp]));
  } catch (thrown) {
    const error = toAppError(thrown);
    if (error.code === "INTERNAL_ERROR")
      deps.inference.log.error({ event: "responses", generation_id: id, error: thrown }, "A response failed");
    if (isRefusal(thrown)) {
      const model = request.model ?? request.models?.[0] ?? null;
      deps.refused(caller, { requestId: id, operation: "responses", model, error: thrown });
    }
    await fail(deps, row, reasonOf(error));
  } finally {
    clearInterval(watching);
  }
}

/** `POST /responses/{id}/cancel`. One that has ended is returned unchanged. */
export async function cancelResponse(
  deps: ResponseDeps,
  caller: Authorized<"inference:use">,
  responseId: string,
): Promise<ResponseObject> {
  const before = await findStored(deps, caller, responseId, "change");
  if (!before.background)
    throw new AppError("BAD_REQUEST", "Only a response made with background: true can be cancelled", {
      param: "response_id",
    });
  await deps.database.prisma.stored_response.updateMany({
    where: { id: before.id, status: { in: ["queued", "in_progress"] } },
    data: { status: "cancelled" },
  });
  return responseOf(deps, await findStored(deps, caller, responseId));
}
