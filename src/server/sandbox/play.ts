import type { ServerResponse } from "node:http";
import { type Reply, type Step, textOf } from "./reply.ts";
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

const isComplete = (step: Step | undefined, reply: Reply): step is Extract<Step, { kind: "send" | "raw" }> =>
  !reply.stream && reply.steps.length === 1 && (step?.kind === "send" || step?.kind === "raw");

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

  const [only] = reply.steps;
  if (isComplete(only, reply)) {
    const body = textOf(only, false);
    begin({ "content-length": Buffer.byteLength(body) });
    seen.produced_tokens = only.tokens;
    response.end(body, () => {
      seen.delivered_tokens = only.tokens;
    });
    return closed(response);
  }

  let flushed: Promise<void> = Promise.resolve();
  for (const step of reply.steps) {
    if (response.destroyed) return;
    if (step.kind === "hang") return closed(response);
    if (step.kind === "wait") {
      await waited(response, step.ms);
      continue;
    }
    if (step.kind === "destroy") {
      await Promise.race([flushed, closed(response)]);
      if (seen.outcome === "open") seen.outcome = "destroyed";
      response.destroy();
      return closed(response);
    }
    begin();
    seen.produced_tokens += step.tokens;
    let room = true;
    flushed = new Promise((resolve) => {
      room = response.write(textOf(step, reply.stream), (error) => {
        if (!error) seen.delivered_tokens += step.tokens;
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
