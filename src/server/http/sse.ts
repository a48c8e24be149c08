import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { limits } from "#server/platform/limits.ts";
import { apiHeaders } from "./respond.ts";

const streamHeaders = {
  ...apiHeaders,
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/**
 * Sends chunks as server-sent events. `[DONE]` says that the answer is whole: a chunk with an error is the last.
 * The source is only asked for more once the client took what was written; a client that takes nothing for the
 * drain time is cut off. When the client leaves, the source is told by its `return`.
 */
export async function respondEvents(
  res: ServerResponse,
  chunks: AsyncGenerator<{ readonly error?: unknown }>,
  requestId: string,
  headers: Record<string, string>,
): Promise<void> {
  res.writeHead(200, { ...streamHeaders, "x-request-id": requestId, ...headers });
  const heartbeat = setInterval(() => res.write(": keep-alive\n\n"), limits.stream.heartbeatMs);
  let failed = false;
  try {
    for await (const chunk of chunks) {
      if (res.destroyed) break;
      failed ||= chunk.error !== undefined;
      if (!res.write(`data: ${JSON.stringify(chunk)}\n\n`)) await drained(res);
    }
    if (!res.destroyed) res.end(failed ? undefined : "data: [DONE]\n\n");
  } finally {
    clearInterval(heartbeat);
  }
}

async function drained(res: ServerResponse): Promise<void> {
  const patience = setTimeout(() => res.destroy(), limits.stream.drainTimeoutMs);
  const over = new AbortController();
  try {
    const { signal } = over;
    await Promise.race([once(res, "drain", { signal }), once(res, "close", { signal })]);
  } finally {
    clearTimeout(patience);
    // Takes the listener of the other event away; a slow reader would gather one per wait.
    over.abort();
  }
}
