import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { AppError, errorEnvelope } from "#server/platform/errors.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { limits } from "#server/platform/limits.ts";
import { apiHeaders } from "./respond.ts";

/** What Node says of a connection that brings no request, in words of ours. */
function errorOf(code: string | undefined): AppError {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT")
    return new AppError("REQUEST_TIMEOUT", "The request came too slowly");
  if (code !== "HPE_HEADER_OVERFLOW") return new AppError("BAD_REQUEST", "This is no valid HTTP request");
  const { headerBytesMax } = limits.http;
  return new AppError("BAD_REQUEST", `The headers may have ${headerBytesMax} bytes at most`, {
    metadata: { status: 431, bytes_max: headerBytesMax },
  });
}

const waiting: (() => void)[] = [];

function answerSome(): void {
  for (const answer of waiting.splice(0, limits.http.refusalsPerYield)) answer();
  if (waiting.length > 0) setImmediate(answerSome);
}

/**
 * Answers on the bare connection what became no request; one with an answer under way is only ended. Node finds
 * requests that are too slow all at once: they are answered some at a time, and others are served in between.
 */
export function answerClientError(...failed: Parameters<typeof answer>): void {
  waiting.push(() => answer(...failed));
  if (waiting.length === 1) setImmediate(answerSome);
}

function answer({ code }: NodeJS.ErrnoException, socket: Duplex, latest: ServerResponse | undefined): void {
  // An answer that waits for those before it has no socket yet.
  const isUnderWay =
    latest !== undefined && !latest.writableFinished && (latest.headersSent || latest.socket === null);
  if (!socket.writable || isUnderWay) {
    socket.destroy();
    return;
  }
  const requestId = uuidv7();
  const envelope = errorEnvelope(errorOf(code), requestId);
  const { status } = envelope.error.metadata;
  const json = JSON.stringify(envelope);
  const headers = {
    ...apiHeaders,
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(json),
    "cache-control": "no-store",
    connection: "close",
    "x-request-id": requestId,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[Number(status)]}\r\n${lines.join("")}\r\n${json}`);
  // Who does not end the connection in turn is not waited for.
  setTimeout(() => socket.destroy(), limits.http.lingerMs).unref();
}
