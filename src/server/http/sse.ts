import type { ServerResponse } from "node:http";
import type { Frames } from "#server/inference/index.ts";
import { limits } from "#server/platform/limits.ts";
import { rateHeadersOf } from "./rate-state.ts";
import { apiHeaders, drained } from "./respond.ts";

const streamHeaders = {
  ...apiHeaders,
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/** Nothing to a client, and a sign of life to everybody in between. */
const comment = ": keep-alive\n\n";

/**
 * Sends server-sent events that come as text; of a stream that is still `waiting` for its first one a comment at once. The source is only asked for more once the client took what was
 * written; a client that takes nothing for the drain time is cut off. When the client leaves, the source is told
 * by its `return`.
 */
export async function respondEvents(
  res: ServerResponse,
  frames: Frames,
  requestId: string,
  headers: Record<string, string>,
  waiting = false,
): Promise<void> {
  res.writeHead(200, { ...streamHeaders, "x-request-id": requestId, ...rateHeadersOf(res), ...headers });
  if (waiting) res.write(comment);
  const heartbeat = setInterval(() => res.write(comment), limits.stream.heartbeatMs);
  try {
    for await (const frame of frames) {
      if (res.destroyed) break;
      if (!res.write(frame)) await drained(res);
    }
    if (!res.destroyed) res.end();
  } finally {
    clearInterval(heartbeat);
  }
}
