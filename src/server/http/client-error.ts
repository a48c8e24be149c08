import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { AppError, errorEnvelope } from "#server/platform/errors.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { limits } from "#server/platform/limits.ts";
import { apiHeaders } from "./respond.ts";

/** Node's errors of connections without a valid request, in our own words. */
function errorOf(code: string | undefined): AppError {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT")
    return new AppError("REQUEST_TIMEOUT", "The request arrived too slowly");
  if (code !== "HPE_HEADER_OVERFLOW") return new AppError("BAD_REQUEST", "This is not a valid HTTP request");
  const { headerBytesMax } = limits.http;
  return new AppError("BAD_REQUEST", `The headers may have at most ${headerBytesMax} bytes`, {
    metadata: { status: 431, bytes_max: headerBytesMax },
  });
}

const waiting: (() => void)[] = [];

function answerSome(): void {
  for (const answer of waiting.splice(0, limits.http.refusalsPerYield)) answer();
  if (waiting.length > 0) setImmediate(answerSome);
}

/**
 * Answers an invalid request on the bare connection; if an answer is in progress there, it only closes. Node reports
 * all slow requests at once, so they are answered in batches with other work in between.
 */
export function answerClientError(...failed: Parameters<typeof answer>): void {
  waiting.push(() => answer(...failed));
  if (waiting.length === 1) setImmediate(answerSome);
}

function answer({ code }: NodeJS.ErrnoException, socket: Duplex, latest: ServerResponse | undefined): void {
  // An answer that waits for earlier ones has no socket yet.
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
  // Clients that do not close the connection are not waited for.
  setTimeout(() => socket.destroy(), limits.http.lingerMs).unref();
}
