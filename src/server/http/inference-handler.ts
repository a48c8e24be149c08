import type { IncomingMessage, ServerResponse } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { z } from "zod";
import { ChatRequest } from "#contract/chat.ts";
import { CompletionRequest } from "#contract/completions.ts";
import { EmbeddingRequest } from "#contract/embeddings.ts";
import { RerankRequest } from "#contract/rerank.ts";
import { ResponseRequest } from "#contract/responses.ts";
import type { Caller } from "#server/access/caller.ts";
import type { Services } from "#server/api/services.ts";
import {
  type Answer,
  chat,
  completions,
  embeddings,
  type InferenceCall,
  type InferenceRequest,
  isRefusal,
  LongJson,
  type Operation,
  type Part,
  rerank,
  serve,
  serveResponse,
  withoutSecrets,
} from "#server/inference/index.ts";
import type { ByteHold } from "#server/platform/byte-budget.ts";
import { AppError, validationError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { isLongJson } from "#server/platform/long-json.ts";
import { maskSecrets } from "#server/platform/mask-secrets.ts";
import { writeWithYields } from "#server/platform/write-with-yields.ts";
import { bodyBounds, holdFor } from "./body-bounds.ts";
import { demandJson, readJson } from "./json-body.ts";
import { noteRate } from "./rate-note.ts";
import type { BodyBounds } from "./read-body.ts";
import { respondJson, respondLong } from "./respond.ts";
import { beginRetryable, keepingFrames, respondKept, settleFailed } from "./retries.ts";
import { respondEvents } from "./sse.ts";

/** Answers one request of one operation for a caller known to be allowed it. */
type Lane = (
  services: Services,
  caller: Caller,
  req: IncomingMessage,
  res: ServerResponse,
  requestId: string,
) => Promise<void>;

const titleCharsMax = 256;
const sessionCharsMax = 256;
const sessionTooLong = `x-session-id: may have ${sessionCharsMax} characters at most`;

/** Headers an application names itself with, the first that says something counts; at last it is its address. */
const titleHeaders = ["x-title", "x-openrouter-title", "x-eurouter-title", "http-referer"];

function titleOf({ headers }: IncomingMessage): string | null {
  for (const name of titleHeaders) {
    const title = headers[name];
    if (typeof title === "string" && title !== "") return maskSecrets(title).slice(0, titleCharsMax);
  }
  return null;
}

/** `x-session-id` says the same as the body's `session_id`, which wins (interface.md 10.5). */
function withSession<Request extends InferenceRequest>(req: IncomingMessage, request: Request): Request {
  const session = req.headers["x-session-id"];
  if (typeof session !== "string" || request.session_id != null) return request;
  // Cut, two sessions could become one.
  if (session.length > sessionCharsMax)
    throw new AppError("BAD_REQUEST", sessionTooLong, { param: "x-session-id" });
  return { ...request, session_id: maskSecrets(session) };
}

/** The trace a request belongs to (W3C Trace Context 3.2), unless its body says so itself (interface.md 10.5). */
const traceparent = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}/;

function withTrace<Request extends InferenceRequest>(req: IncomingMessage, request: Request): Request {
  const { traceparent: given } = req.headers;
  if (typeof given !== "string" || request.trace?.trace_id != null || request.trace?.parent_span_id != null)
    return request;
  const [, trace_id, parent_span_id] = traceparent.exec(given) ?? [];
  if (trace_id === undefined || parent_span_id === undefined) return request;
  return { ...request, trace: { ...request.trace, trace_id, parent_span_id } };
}

type Ask<Request> = (
  services: Services,
  caller: Caller,
  request: Request,
  call: InferenceCall,
) => Promise<Answer<unknown>>;

const by =
  <Request extends InferenceRequest, P extends Part, Whole>(
    operation: Operation<Request, P, Whole>,
  ): Ask<Request> =>
  ({ inference }, caller, request, call) =>
    serve(inference, caller, operation, request, call);

/** Resolves when all of an answer is sent; a short one is at once, and then there is nothing to wait for. */
function respond(res: ServerResponse, answer: Answer<unknown>, requestId: string): Promise<void> | undefined {
  const { frames, body, headers } = answer;
  if (frames) return respondEvents(res, frames, requestId, headers, answer.waiting);
  if (body instanceof LongJson) return respondLong(res, body.pieces, requestId, headers);
  if (isLongJson(body))
    return writeWithYields(body).then((pieces) => respondLong(res, pieces, requestId, headers));
  respondJson(res, 200, JSON.stringify(body), requestId, headers);
  return undefined;
}

const { charsMax: keptCharsMax } = limits.idempotency;

/** A request that may be a retry: it is run and billed once, and its answer is given again (F21). */
async function serveRetryable(
  services: Services,
  caller: Caller,
  {
    req,
    res,
    requestId,
    body,
  }: { req: IncomingMessage; res: ServerResponse; requestId: string; body: Buffer },
  serveOnce: () => Promise<Answer<unknown>>,
): Promise<void> {
  const path = (req.url ?? "").split("?")[0] ?? "";
  const retry = await beginRetryable(services, req, caller, path, body);
  if (!retry) return respond(res, await serveOnce(), requestId);
  if (retry.replay) return respondKept(res, retry.replay, requestId);
  let answer: Answer<unknown>;
  try {
    answer = await serveOnce();
  } catch (error) {
    await settleFailed(retry, error);
    throw error;
  }
  const { headers, frames } = answer;
  if (frames)
    return respondEvents(res, keepingFrames(retry, headers, frames), requestId, headers, answer.waiting);
  const long = answer.body instanceof LongJson ? answer.body : null;
  if (long ? long.isLongerThan(keptCharsMax) : isLongJson(answer.body, keptCharsMax)) {
    // Too long to keep, it is given once.
    await retry.lose();
    return respond(res, answer, requestId);
  }
  const json = long ? long.text() : JSON.stringify(answer.body);
  await retry.keep({ status: 200, headers, kind: "json", body: json });
  respondJson(res, 200, json, requestId, headers);
}

/** What a lane learns of a request before it is refused or served. */
interface Read {
  model: string | null;
}

/** A request that fits its schema; its bytes only where they have to be compared with those of a retry. */
async function received<Request extends InferenceRequest>(
  schema: z.ZodType<Request>,
  req: IncomingMessage,
  bounds: BodyBounds,
  hold: ByteHold,
): Promise<{ readonly request: Request; readonly body: Buffer | null }> {
  const { bytes, value } = await readJson(req, bounds, hold);
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw validationError(parsed.error);
  if (bytes.length > limits.body.yieldAboveBytes) await nextTurn();
  return {
    request: withoutSecrets(parsed.data),
    body: req.headers["idempotency-key"] === undefined ? null : bytes,
  };
}

/** An operation without the way round of procedures: one parse, one call, one answer (design D2b). */
const served =
  <Request extends InferenceRequest>(
    schema: z.ZodType<Request>,
    ask: Ask<Request>,
    bounds: BodyBounds,
  ): ((read: Read, hold: ByteHold, ...args: Parameters<Lane>) => Promise<void>) =>
  async (read, hold, services, caller, req, res, requestId) => {
    const rate = services.rates.admit({ caller, ipAddress: null });
    noteRate(res, rate instanceof Promise ? await rate : rate);
    demandJson(req);
    const { request, body } = await received(schema, req, bounds, hold);
    read.model = request.model ?? request.models?.[0] ?? null;
    const leaving = new AbortController();
    res.on("close", () => {
      if (!res.writableFinished) leaving.abort();
    });
    const { beginAfterMs } = limits.stream;
    const call = { requestId, appTitle: titleOf(req), signal: leaving.signal, beginAfterMs };
    const serveOnce = () => ask(services, caller, withTrace(req, withSession(req, request)), call);
    if (body) {
      return serveRetryable(services, caller, { req, res, requestId, body }, serveOnce);
    }
    const sent = respond(res, await serveOnce(), requestId);
    if (sent) await sent;
  };

/** The same, with what is refused before a provider is asked put down for the log. */
const lane = <Request extends InferenceRequest>(
  operation: string,
  schema: z.ZodType<Request>,
  ask: Ask<Request>,
  bounds: BodyBounds,
): Lane => {
  const serveOne = served(schema, ask, bounds);
  return async (services, caller, req, res, requestId) => {
    const read: Read = { model: null };
    const hold = holdFor(services, caller, null);
    try {
      await serveOne(read, hold, services, caller, req, res, requestId);
    } catch (error) {
      if (isRefusal(error))
        services.refusedRequests.note(caller, { requestId, operation, model: read.model, error });
      throw error;
    } finally {
      hold.release();
    }
  };
};

const laneOf = <Request extends InferenceRequest, P extends Part, Whole>(
  operation: Operation<Request, P, Whole>,
  schema: z.ZodType<Request>,
  bounds: BodyBounds,
): Lane => lane(operation.name, schema, by(operation), bounds);

/** What is served on the lean way, by path of a POST. */
export const inferenceLanes: ReadonlyMap<string, Lane> = new Map([
  ["/completions", laneOf(completions, CompletionRequest, bodyBounds.prompt)],
  ["/chat/completions", laneOf(chat, ChatRequest, bodyBounds.conversation)],
  ["/embeddings", laneOf(embeddings, EmbeddingRequest, bodyBounds.embedding)],
  ["/rerank", laneOf(rerank, RerankRequest, bodyBounds.documents)],
  // Where Cohere's client asks when this API is its base URL.
  ["/v2/rerank", laneOf(rerank, RerankRequest, bodyBounds.documents)],
  [
    "/responses",
    lane(
      "responses",
      ResponseRequest,
      ({ responses }, caller, request, call) => serveResponse(responses, caller, request, call),
      bodyBounds.conversation,
    ),
  ],
]);
