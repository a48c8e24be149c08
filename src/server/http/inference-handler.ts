import type { IncomingMessage, ServerResponse } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Api, apis, compactionPath, operationRow } from "#contract/inference-operations.ts";
import type { Authorized } from "#server/access/authorize.ts";
import type { Services } from "#server/api/services.ts";
import {
  type Answer,
  type ContentDigests,
  compaction,
  type InferenceRequest,
  isRefusal,
  LongJson,
  operations,
  type ServedOperation,
  withoutSecrets,
} from "#server/inference/index.ts";
import type { ByteHold } from "#server/platform/byte-budget.ts";
import { AppError, validationError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { isLongJson } from "#server/platform/long-json.ts";
import { maskSecrets } from "#server/platform/mask-secrets.ts";
import { writeWithYields } from "#server/platform/write-with-yields.ts";
import { type PresetOperation, presetUserOf, withPreset } from "#server/presets/index.ts";
import { bodyBounds, holdFor } from "./body-bounds.ts";
import { digestsOf } from "./digest-key.ts";
import { assertJson, readJson } from "./json-body.ts";
import { setRateState } from "./rate-state.ts";
import { respondJson, respondLong } from "./respond.ts";
import { beginRetryable, endFailed, keepingFrames, respondKept } from "./retries.ts";
import { respondEvents } from "./sse.ts";

/** Answers one request of one operation for a caller with the permission. */
type RouteHandler = (
  services: Services,
  caller: Authorized<"inference:use">,
  req: IncomingMessage,
  res: ServerResponse,
  requestId: string,
) => Promise<void>;

const titleCharsMax = 256;
const sessionCharsMax = 256;
/** Headers that name a session, in order of precedence; the last is sent by Claude Code. */
const sessionHeaders = ["x-session-id", "x-claude-code-session-id"];

/** Headers that name an application, in order of precedence; the last is its address. */
const titleHeaders = ["x-title", "x-openrouter-title", "x-eurouter-title", "http-referer"];

function titleOf({ headers }: IncomingMessage): string | null {
  for (const name of titleHeaders) {
    const title = headers[name];
    if (typeof title === "string" && title !== "") return maskSecrets(title).slice(0, titleCharsMax);
  }
  return null;
}

/** A header that names the session means the same as the body's `session_id`, which takes precedence. */
function withSession<Request extends InferenceRequest>(req: IncomingMessage, request: Request): Request {
  const name = sessionHeaders.find((each) => req.headers[each] !== undefined) ?? "";
  const session = req.headers[name];
  if (typeof session !== "string" || request.session_id != null) return request;
  // Not truncated, because two sessions could become one.
  if (session.length > sessionCharsMax)
    throw new AppError("BAD_REQUEST", `${name}: may have at most ${sessionCharsMax} characters`, {
      param: name,
    });
  return { ...request, session_id: maskSecrets(session) };
}

/** The trace of a request (W3C Trace Context 3.2), unless its body names one. */
const traceparent = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}/;

function withTrace<Request extends InferenceRequest>(req: IncomingMessage, request: Request): Request {
  const { traceparent: given } = req.headers;
  if (typeof given !== "string" || request.trace?.trace_id != null || request.trace?.parent_span_id != null)
    return request;
  const [, trace_id, parent_span_id] = traceparent.exec(given) ?? [];
  if (trace_id === undefined || parent_span_id === undefined) return request;
  return { ...request, trace: { ...request.trace, trace_id, parent_span_id } };
}

/** Resolves when an answer is sent completely; short ones are sent synchronously. */
function respond(
  res: ServerResponse,
  answer: Answer<unknown>,
  requestId: string,
  heartbeatEvent: string | undefined,
): Promise<void> | undefined {
  const { frames, body, headers } = answer;
  if (frames)
    return respondEvents(res, frames, requestId, headers, { waiting: answer.waiting, heartbeatEvent });
  if (body instanceof LongJson) return respondLong(res, body.pieces, requestId, headers);
  if (isLongJson(body))
    return writeWithYields(body).then((pieces) => respondLong(res, pieces, requestId, headers));
  respondJson(res, 200, JSON.stringify(body), requestId, headers);
  return undefined;
}

/** The client's headers about the protocol of an operation. */
function protocolHeadersOf({ headers }: IncomingMessage, api: Api): Record<string, string> {
  const { protocolHeaders = [] } = operationRow(api);
  const found: Record<string, string> = {};
  for (const name of protocolHeaders) {
    const value = headers[name];
    if (typeof value === "string") found[name] = value;
  }
  return found;
}

const { charsMax: storedCharsMax } = limits.idempotency;

/** A request that may be a retry: it is run and billed once, and its answer is repeated. */
async function serveRetryable(
  services: Services,
  caller: Authorized<"inference:use">,
  {
    req,
    res,
    requestId,
    body,
    heartbeatEvent,
  }: {
    req: IncomingMessage;
    res: ServerResponse;
    requestId: string;
    body: Buffer;
    heartbeatEvent: string | undefined;
  },
  serveOnce: () => Promise<Answer<unknown>>,
): Promise<void> {
  const path = (req.url ?? "").split("?")[0] ?? "";
  const retry = await beginRetryable(services, req, caller, path, body);
  if (!retry) return respond(res, await serveOnce(), requestId, heartbeatEvent);
  if (retry.replay) return respondKept(res, retry.replay, requestId);
  let answer: Answer<unknown>;
  try {
    answer = await serveOnce();
  } catch (error) {
    await endFailed(retry, error);
    throw error;
  }
  const { headers, frames } = answer;
  if (frames)
    return respondEvents(res, keepingFrames(retry, headers, frames), requestId, headers, {
      waiting: answer.waiting,
      heartbeatEvent,
    });
  const long = answer.body instanceof LongJson ? answer.body : null;
  if (long ? long.isLongerThan(storedCharsMax) : isLongJson(answer.body, storedCharsMax)) {
    // Too long to store, so it cannot be repeated.
    await retry.lose();
    return respond(res, answer, requestId, heartbeatEvent);
  }
  const json = long ? long.text() : JSON.stringify(answer.body);
  await retry.store({ status: 200, headers, kind: "json", body: json });
  respondJson(res, 200, json, requestId, headers);
}

/** What is known of a request before it is refused or served. */
interface Received {
  readonly api: Api;
  /** What it is for presets. */
  readonly presetOperation: PresetOperation;
  model: string | null;
}

/** A request that, once completed, matches its schema, with its bytes if a retry must be compared with them. */
async function received(
  { request: schema, body }: ServedOperation,
  req: IncomingMessage,
  hold: ByteHold,
  complete: (request: unknown) => unknown,
): Promise<{
  readonly request: InferenceRequest;
  readonly body: Buffer | null;
  readonly digests: ContentDigests | undefined;
}> {
  const { bytes, value } = await readJson(req, bodyBounds[body], hold);
  const parsed = schema.safeParse(complete(value));
  if (!parsed.success) throw validationError(parsed.error);
  if (bytes.length > limits.body.yieldAboveBytes) await nextTurn();
  const digests = digestsOf(req, bytes);
  return {
    request: withoutSecrets(parsed.data),
    body: req.headers["idempotency-key"] === undefined ? null : bytes,
    digests: digests && (await digests),
  };
}

/** Answers one request of an operation without the overhead of a procedure: one parse, one call, one answer. */
async function serveOperation(
  operation: ServedOperation,
  seen: Received,
  hold: ByteHold,
  ...[services, caller, req, res, requestId]: Parameters<RouteHandler>
): Promise<void> {
  const rate = services.rates.admit({ caller, ipAddress: null });
  setRateState(res, rate instanceof Promise ? await rate : rate);
  assertJson(req);
  const { request, body, digests } = await received(operation, req, hold, (value) =>
    withPreset(services.presets(), presetUserOf(caller), seen.presetOperation, value),
  );
  seen.model = request.model ?? request.models?.[0] ?? null;
  const leaving = new AbortController();
  res.on("close", () => {
    if (!res.writableFinished) leaving.abort();
  });
  const { beginAfterMs } = limits.stream;
  const call = {
    requestId,
    appTitle: titleOf(req),
    signal: leaving.signal,
    beginAfterMs,
    protocolHeaders: protocolHeadersOf(req, seen.api),
    digests,
  };
  const serveOnce = () => operation.serve(services, caller, withTrace(req, withSession(req, request)), call);
  const { heartbeatEvent } = operationRow(seen.api);
  if (body) return serveRetryable(services, caller, { req, res, requestId, body, heartbeatEvent }, serveOnce);
  const sent = respond(res, await serveOnce(), requestId, heartbeatEvent);
  if (sent) await sent;
}

/** Serves an operation, and records refusals that happen before a provider is called. */
const handlerFor =
  (api: Api, operation: ServedOperation, presetOperation: PresetOperation = api): RouteHandler =>
  async (services, caller, req, res, requestId) => {
    const seen: Received = { api, presetOperation, model: null };
    const hold = holdFor(services, caller, null);
    try {
      await serveOperation(operation, seen, hold, services, caller, req, res, requestId);
    } catch (error) {
      if (isRefusal(error))
        services.refusedRequests.note(caller, { requestId, operation: api, model: seen.model, error });
      throw error;
    } finally {
      hold.release();
    }
  };

/** The handler of each operation, by the paths of its POST. */
export const inferenceHandlers: ReadonlyMap<string, RouteHandler> = new Map([
  [compactionPath, handlerFor("responses", compaction, "compaction")] as const,
  ...apis.flatMap((api) => {
    const handler = handlerFor(api, operations[api]);
    const { path, aliases = [] } = operationRow(api);
    return [path, ...aliases].map((each) => [each, handler] as const);
  }),
]);
