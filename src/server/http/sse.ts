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

/** A comment, ignored by clients, that keeps proxies from closing the connection. */
const comment = ": keep-alive\n\n";

/** An event without content, as protocols with named events have it. */
const emptyEvent = (name: string): string => `event: ${name}\ndata: ${JSON.stringify({ type: name })}\n\n`;

interface Silence {
  /** The stream is still waiting for its first event. */
  readonly waiting?: boolean | undefined;
  /** The event that is sent while the provider is silent; left out: a comment. Before the first event always that. */
  readonly heartbeatEvent?: string | undefined;
}

/** How pieces of a body are written: `write` returns false if the client must be awaited. */
interface Body {
  write(piece: string): boolean;
  end(): void;
}

/**
 * Writes each piece as one chunk (RFC 9112, 7.1) in one text: `ServerResponse` writes the length, the piece and two
 * line breaks apart, which takes 1 µs more. A client with HTTP/1.0 gets no chunks.
 */
function bodyOf(res: ServerResponse): Body {
  if (!res.chunkedEncoding) return { write: (piece) => res.write(piece), end: () => res.end() };
  // What is written from here on has its chunks already.
  res.chunkedEncoding = false;
  return {
    // An empty chunk would end the body.
    write: (piece) => piece === "" || res.write(`${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`),
    end: () => res.end("0\r\n\r\n"),
  };
}

/**
 * Sends server-sent events that arrive as text; a stream that is still `waiting` for its first one starts with a
 * comment. The source is read only as fast as the client accepts data; a client that accepts nothing for the drain
 * time is disconnected. If the client disconnects, the source's `return` is called.
 */
export async function respondEvents(
  res: ServerResponse,
  frames: Frames,
  requestId: string,
  headers: Record<string, string>,
  { waiting = false, heartbeatEvent }: Silence = {},
): Promise<void> {
  res.writeHead(200, { ...streamHeaders, "x-request-id": requestId, ...rateHeadersOf(res), ...headers });
  const body = bodyOf(res);
  if (waiting) body.write(comment);
  let beat = comment;
  const heartbeat = setInterval(() => body.write(beat), limits.stream.heartbeatMs);
  try {
    for await (const frame of frames) {
      if (res.destroyed) break;
      if (!body.write(frame)) await drained(res);
      if (heartbeatEvent !== undefined && beat === comment) beat = emptyEvent(heartbeatEvent);
    }
    if (!res.destroyed) body.end();
  } finally {
    clearInterval(heartbeat);
  }
}
