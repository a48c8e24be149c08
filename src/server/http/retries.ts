import type { IncomingMessage, ServerResponse } from "node:http";
import type { Caller } from "#server/access/caller.ts";
import type { FirstRequest, Idempotency, StoredAnswer } from "#server/api/idempotency.ts";
import type { Services } from "#server/api/services.ts";
import type { Frames, FramesEnd } from "#server/inference/index.ts";
import { toAppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { unavailableIn } from "#server/platform/unavailable.ts";
import { respondJson } from "./respond.ts";
import { respondEvents } from "./sse.ts";

/** Begins a request with an `Idempotency-Key`; null without one. Throws like `Idempotency.begin`. */
export async function beginRetryable(
  { idempotency }: Pick<Services, "idempotency">,
  req: IncomingMessage,
  caller: Caller | null,
  route: string,
  body: string | Buffer,
): Promise<Awaited<ReturnType<Idempotency["begin"]>> | null> {
  const key = req.headers["idempotency-key"];
  if (typeof key !== "string" || caller === null) return null;
  return idempotency.begin({ caller, route: `${req.method} ${route}`, key, body });
}

const replayed = { "idempotency-replayed": "true" };

async function* once(text: string): Frames {
  yield text;
  return "ended";
}

/** Sends a stored answer again. */
export async function respondKept(
  res: ServerResponse,
  stored: StoredAnswer,
  requestId: string,
): Promise<void> {
  const headers = { ...stored.headers, ...replayed };
  if (stored.kind === "events") await respondEvents(res, once(stored.body), requestId, headers);
  else respondJson(res, stored.status, stored.body, requestId, headers);
}

/**
 * Ends a first request that failed. Our own refusals and failures of providers had no effect; after an internal
 * error, or if the answer of the database was lost, the effect is unknown.
 */
export async function endFailed(first: FirstRequest, error: unknown): Promise<void> {
  const unknown = toAppError(error).code === "INTERNAL_ERROR" || unavailableIn(error)?.mayBeDone === true;
  await (unknown ? first.lose() : first.release());
}

/** Runs a first request and stores its answer, which is returned as JSON. */
export async function keeping(
  first: FirstRequest,
  status: number,
  work: () => Promise<unknown>,
): Promise<string> {
  try {
    const body = JSON.stringify(await work());
    await first.store({ status, headers: {}, kind: "json", body });
    return body;
  } catch (error) {
    await endFailed(first, error);
    throw error;
  }
}

/**
 * Passes a stream on and stores its text, if it is complete and not too long. A stream that contained only an error
 * had no effect.
 */
export async function* keepingFrames(
  first: FirstRequest,
  headers: Record<string, string>,
  frames: Frames,
): Frames {
  const stored: string[] = [];
  let chars = 0;
  let end: FramesEnd = "left";
  try {
    for (;;) {
      const { value, done } = await frames.next();
      if (done) {
        end = value;
        return value;
      }
      chars += value.length;
      if (chars <= limits.idempotency.charsMax) stored.push(value);
      yield value;
    }
  } finally {
    await frames.return("left");
    if (end === "unanswered") await first.release();
    // A stream that stopped because its client disconnected cannot be repeated.
    else if (end === "left" || chars > limits.idempotency.charsMax) await first.lose();
    else await first.store({ status: 200, headers, kind: "events", body: stored.join("") });
  }
}
