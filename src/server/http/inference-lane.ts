import type { IncomingMessage, ServerResponse } from "node:http";
import type { z } from "zod";
import { ChatRequest } from "#contract/chat.ts";
import { CompletionRequest } from "#contract/completions.ts";
import { EmbeddingRequest } from "#contract/embeddings.ts";
import { RerankRequest } from "#contract/rerank.ts";
import { ResponseRequest } from "#contract/responses.ts";
import type { Services } from "#server/api/services.ts";
import type { Caller } from "#server/auth/caller.ts";
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
import { AppError, validationError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { maskSecrets } from "#server/platform/mask-secrets.ts";
import { demandJson, parseJson, readBody } from "./json-body.ts";
import { noteRate } from "./rate-note.ts";
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
  if (answer.frames) return respondEvents(res, answer.frames, requestId, answer.headers, answer.waiting);
  if (answer.body instanceof LongJson) return respondLong(res, answer.body.pieces, requestId, answer.headers);
  respondJson(res, 200, JSON.stringify(answer.body), requestId, answer.headers);
  return undefined;
}

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
  const json = answer.body instanceof LongJson ? answer.body.text() : JSON.stringify(answer.body);
  await retry.keep({ status: 200, headers, kind: "json", body: json });
  respondJson(res, 200, json, requestId, headers);
}

/** What a lane learns of a request before it is refused or served. */
interface Read {
  model: string | null;
}

/** An operation without the way round of procedures: one parse, one call, one answer (design D2b). */
const served =
  <Request extends InferenceRequest>(
    schema: z.ZodType<Request>,
    ask: Ask<Request>,
    bytesMax: number,
  ): ((read: Read, ...args: Parameters<Lane>) => Promise<void>) =>
  async (read, services, caller, req, res, requestId) => {
    const rate = services.rates.admit({ caller, ipAddress: null });
    noteRate(res, rate instanceof Promise ? await rate : rate);
    demandJson(req);
    const body = await readBody(req, bytesMax);
    const parsed = schema.safeParse(parseJson(body));
    if (!parsed.success) throw validationError(parsed.error);
    const request = withoutSecrets(parsed.data);
    read.model = request.model ?? request.models?.[0] ?? null;
    const leaving = new AbortController();
    res.on("close", () => {
      if (!res.writableFinished) leaving.abort();
    });
    const { beginAfterMs } = limits.stream;
    const call = { requestId, appTitle: titleOf(req), signal: leaving.signal, beginAfterMs };
    const serveOnce = () => ask(services, caller, withTrace(req, withSession(req, request)), call);
    if (req.headers["idempotency-key"] !== undefined) {
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
  bytesMax: number = limits.body.inferenceBytesMax,
): Lane => {
  const serveOne = served(schema, ask, bytesMax);
  return async (services, caller, req, res, requestId) => {
    const read: Read = { model: null };
    try {
      await serveOne(read, services, caller, req, res, requestId);
    } catch (error) {
      if (isRefusal(error))
        services.refusedRequests.note(caller, { requestId, operation, model: read.model, error });
      throw error;
    }
  };
};

const laneOf = <Request extends InferenceRequest, P extends Part, Whole>(
  operation: Operation<Request, P, Whole>,
  schema: z.ZodType<Request>,
  bytesMax?: number,
): Lane => lane(operation.name, schema, by(operation), bytesMax);

/** What is served on the lean way, by path of a POST. */
export const inferenceLanes: ReadonlyMap<string, Lane> = new Map([
  ["/completions", laneOf(completions, CompletionRequest)],
  ["/chat/completions", laneOf(chat, ChatRequest)],
  ["/embeddings", laneOf(embeddings, EmbeddingRequest, limits.body.embeddingBytesMax)],
  ["/rerank", laneOf(rerank, RerankRequest)],
  // Where Cohere's client asks when this API is its base URL.
  ["/v2/rerank", laneOf(rerank, RerankRequest)],
  [
    "/responses",
    lane("responses", ResponseRequest, ({ responses }, caller, request, call) =>
      serveResponse(responses, caller, request, call),
    ),
  ],
]);
