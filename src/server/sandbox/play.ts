import type { ServerResponse } from "node:http";
import { type Part, type Reply, textOf } from "./reply.ts";
import type { SeenRequest } from "./seen.ts";

/** Waits for what `arm` starts, or for the connection's end, and leaves no listener behind. */
function paused(response: ServerResponse, arm: (resume: () => void) => () => void): Promise<void> {
  if (response.closed) return Promise.resolve();
  return new Promise((resolve) => {
    const resume = () => {
      disarm();
      response.off("close", resume);
      resolve();
    };
    const disarm = arm(resume);
    response.once("close", resume);
  });
}

const closed = (response: ServerResponse) => paused(response, () => () => {});

const waited = (response: ServerResponse, ms: number) =>
  paused(response, (resume) => {
    const timer = setTimeout(resume, ms);
    return () => clearTimeout(timer);
  });

const drained = (response: ServerResponse) =>
  paused(response, (resume) => {
    response.once("drain", resume);
    return () => response.off("drain", resume);
  });

const isWhole = (part: Part | undefined, reply: Reply): part is Extract<Part, { kind: "send" | "raw" }> =>
  !reply.stream && reply.parts.length === 1 && (part?.kind === "send" || part?.kind === "raw");

/** Plays an answer step by step and keeps the record of what was given; resolves when the connection is done. */
export async function play(reply: Reply, response: ServerResponse, seen: SeenRequest): Promise<void> {
  if (response.destroyed) {
    seen.outcome = "client_gone";
    return;
  }
  response.once("close", () => {
    if (seen.outcome === "open") seen.outcome = response.writableFinished ? "completed" : "client_gone";
  });
  const begin = (headers: Record<string, number> = {}) => {
    if (response.headersSent) return;
    seen.status = reply.status;
    response.writeHead(reply.status, { ...reply.headers, ...headers });
  };

  const [only] = reply.parts;
  if (isWhole(only, reply)) {
    const body = textOf(only, false);
    begin({ "content-length": Buffer.byteLength(body) });
    seen.produced_tokens = only.tokens;
    response.end(body, () => {
      seen.delivered_tokens = only.tokens;
    });
    return closed(response);
  }

  let flushed: Promise<void> = Promise.resolve();
  for (const part of reply.parts) {
    if (response.destroyed) return;
    if (part.kind === "hang") return closed(response);
    if (part.kind === "wait") {
      await waited(response, part.ms);
      continue;
    }
    if (part.kind === "destroy") {
      await Promise.race([flushed, closed(response)]);
      if (seen.outcome === "open") seen.outcome = "destroyed";
      response.destroy();
      return closed(response);
    }
    begin();
    seen.produced_tokens += part.tokens;
    let room = true;
    flushed = new Promise((resolve) => {
      room = response.write(textOf(part, reply.stream), (error) => {
        if (!error) seen.delivered_tokens += part.tokens;
        resolve();
      });
    });
    if (!room) await drained(response);
  }
  if (response.destroyed) return;
  begin();
  response.end();
  return closed(response);
}
