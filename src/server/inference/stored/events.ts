import { setTimeout as wait } from "node:timers/promises";
import type { Caller } from "#server/auth/caller.ts";
import type { Tx } from "#server/db/index.ts";
import { clock } from "#server/platform/clock.ts";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { doneFrame, type Frames } from "../frames.ts";
import { eventFrame } from "../present-response.ts";
import type { ResponseParts } from "./response-parts.ts";
import { openContent } from "./stored-content.ts";
import { findStored } from "./stored-responses.ts";

type Events = Pick<ResponseParts, "database" | "sealer">;

interface Of {
  readonly id: string;
  readonly org_id: string;
}

const placeOf = ({ id, org_id }: Of, first: number) => ({
  table: "stored_response_event",
  column: "frames",
  rowId: `${id} ${first}`,
  orgId: org_id,
});

const numbered = /^data: \{"type":"([^"]*)","sequence_number":(\d+),/m;

interface Frame {
  readonly text: string;
  readonly type: string;
  readonly number: number;
}

/** The events in a text of whole frames; what has no number (`[DONE]`) is left out. */
function framesOf(text: string): Frame[] {
  return text.split("\n\n").flatMap((frame) => {
    const found = numbered.exec(frame);
    return found ? [{ text: `${frame}\n\n`, type: found[1] ?? "", number: Number(found[2]) }] : [];
  });
}

async function addBatch(
  { sealer }: Events,
  tx: Pick<Tx, "stored_response_event">,
  row: Of,
  first: number,
  frames: string,
) {
  const sealed = sealer.seal(frames, placeOf(row, first));
  await tx.stored_response_event.create({
    data: { response_id: row.id, sequence_number: first, frames: sealed },
  });
}

/** Writes events down, numbered from `first`: a text at once, a stream a few times a second. */
export async function addEvents(
  parts: Events,
  tx: Pick<Tx, "stored_response_event">,
  row: Of,
  first: number,
  frames: string | AsyncIterable<string>,
): Promise<void> {
  if (typeof frames === "string") return addBatch(parts, tx, row, first, frames);
  let next = first;
  let held = "";
  let writtenMs = clock.monotonicMs();
  const write = async () => {
    const count = framesOf(held).length;
    if (count > 0) await addBatch(parts, tx, row, next, held);
    next += count;
    held = "";
    writtenMs = clock.monotonicMs();
  };
  for await (const text of frames) {
    held += text;
    if (clock.monotonicMs() - writtenMs >= limits.responses.eventsFlushMs) await write();
  }
  await write();
}

const running = new Set(["queued", "in_progress"]);
const terminal = new Set(["response.completed", "response.incomplete", "response.failed"]);

/**
 * The events of a response behind the number `after`, those to come as well, up to its end. One that ended without
 * an event of its own for it, because its process died, ends in `response.failed`.
 */
export async function* followEvents(parts: Events, row: Of, after: number): Frames {
  const { stored_response: responses, stored_response_event: events } = parts.database.prisma;
  let last = -1;
  for (;;) {
    const now = await responses.findUnique({ where: { id: row.id } });
    const batches = await events.findMany({
      where: { response_id: row.id, sequence_number: { gt: last } },
      orderBy: { sequence_number: "asc" },
    });
    let text = "";
    let ended = false;
    for (const { frames, sequence_number: first } of batches)
      for (const frame of framesOf(parts.sealer.open(frames, placeOf(row, first)))) {
        last = frame.number;
        ended ||= terminal.has(frame.type);
        if (frame.number > after) text += frame.text;
      }
    if (!ended && !running.has(now?.status ?? "")) {
      ended = true;
      if (now?.status === "failed") {
        const json = JSON.stringify({ ...openContent(parts.sealer, now).response, status: "failed" });
        text += eventFrame("response.failed", last + 1, `"response":${json}}`);
      }
    }
    if (text !== "" || ended) yield ended ? text + doneFrame : text;
    if (ended) return "ended";
    await wait(limits.responses.eventsPollMs);
  }
}

/** `GET /responses/{id}?stream=true`: the events again, from the number behind `after` on. */
export async function followResponse(
  parts: ResponseParts,
  caller: Caller,
  responseId: string,
  after: number,
): Promise<Frames> {
  const row = await findStored(parts, caller, responseId);
  if (row.background && row.streamed) return followEvents(parts, row, after);
  throw new AppError(
    "BAD_REQUEST",
    "Only a response made with background: true and stream: true can be streamed again",
    { param: "stream" },
  );
}
