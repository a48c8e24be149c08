import type { ServerResponse } from "node:http";
import type { Frames } from "#server/inference/index.ts";
import { limits } from "#server/platform/limits.ts";
import { atEndOfTurn } from "#server/platform/turn.ts";
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

/**
 * The body of a stream. What is written is sent at the end of the turn, for all streams one after the other: a client
 * on this machine is then woken once for many pieces, not for each. Each piece is one chunk (RFC 9112, 7.1), and with
 * its frame one text: `ServerResponse` writes a chunk in four parts. A client with HTTP/1.0 gets no chunks.
 */
class Body {
  readonly #res: ServerResponse;
  readonly #isChunked: boolean;
  /** Written and not sent. */
  #text = "";
  #isQueued = false;
  #isOver = false;

  constructor(res: ServerResponse) {
    this.#res = res;
    this.#isChunked = res.chunkedEncoding;
    // What is written from here on has its chunks already.
    res.chunkedEncoding = false;
  }

  write(piece: string): void {
    // An empty chunk would end the body.
    if (piece === "") return;
    this.#add(this.#isChunked ? `${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n` : piece);
  }

  end(): void {
    this.#isOver = true;
    this.#add(this.#isChunked ? "0\r\n\r\n" : "");
  }

  #add(text: string): void {
    this.#text += text;
    if (this.#isQueued) return;
    this.#isQueued = true;
    atEndOfTurn("send", this.#send);
  }

  readonly #send = (): void => {
    const text = this.#text;
    this.#text = "";
    this.#isQueued = false;
    if (this.#res.destroyed) return;
    if (this.#isOver) this.#res.end(text);
    else this.#res.write(text);
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
  const body = new Body(res);
  if (waiting) body.write(comment);
  let beat = comment;
  const heartbeat = setInterval(() => body.write(beat), limits.stream.heartbeatMs);
  try {
    for await (const frame of frames) {
      if (res.destroyed) break;
      body.write(frame);
      if (res.writableNeedDrain) await drained(res);
      if (heartbeatEvent !== undefined && beat === comment) beat = emptyEvent(heartbeatEvent);
    }
    if (!res.destroyed) body.end();
  } finally {
    clearInterval(heartbeat);
  }
}
