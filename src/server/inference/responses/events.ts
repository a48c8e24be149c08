import type { Authorized } from "#server/access/authorize.ts";
import { asInteractive, type Tx } from "#server/db/index.ts";
import { clock } from "#server/platform/clock.ts";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { eventFrame } from "../operations/responses/presenter.ts";
import type { Frames } from "../pipeline/frames.ts";
import type { ResponseDeps } from "./response-deps.ts";
import { openContent } from "./stored-content.ts";
import { findStored } from "./stored-responses.ts";

/** Where the events of responses are written to and read from. */
export type EventSource = Pick<ResponseDeps, "database" | "sealer">;

/** The response of the events. */
export interface EventRow {
  readonly id: string;
  readonly org_id: string;
}

const placeOf = ({ id, org_id }: EventRow, first: number) => ({
  table: "stored_response_event",
  column: "frames",
  rowId: `${id} ${first}`,
  orgId: org_id,
});

const numbered = /^data: \{"type":"([^"]*)","sequence_number":(\d+),/m;

interface EventOfResponse {
  /** The complete event text, as sent. */
  readonly text: string;
  readonly type: string;
  readonly number: number;
}

/** The events in a text of complete events; those without a number (`[DONE]`) are skipped. */
function framesOf(text: string): EventOfResponse[] {
  return text.split("\n\n").flatMap((frame) => {
    const found = numbered.exec(frame);
    return found ? [{ text: `${frame}\n\n`, type: found[1] ?? "", number: Number(found[2]) }] : [];
  });
}

async function addBatch(
  { sealer }: EventSource,
  tx: Pick<Tx, "stored_response_event">,
  row: EventRow,
  first: number,
  frames: string,
) {
  const sealed = sealer.seal(frames, placeOf(row, first));
  await tx.stored_response_event.create({
    data: { response_id: row.id, sequence_number: first, frames: sealed },
  });
}

/** Stores events, numbered from `first`: a text at once, a stream a few times per second. */
export async function addEvents(
  deps: EventSource,
  tx: Pick<Tx, "stored_response_event">,
  row: EventRow,
  first: number,
  frames: string | AsyncIterable<string>,
): Promise<void> {
  if (typeof frames === "string") return addBatch(deps, tx, row, first, frames);
  let next = first;
  let held = "";
  let writtenMs = clock.monotonicMs();
  const write = async () => {
    const count = framesOf(held).length;
    if (count > 0) await addBatch(deps, tx, row, next, held);
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

/** The events after a given one. */
export interface NewEvents {
  /** The number of that event. */
  readonly behind: number;
  readonly frames: readonly EventOfResponse[];
  /** The number of the last event so far. */
  readonly last: number;
  /** No more events will follow. */
  readonly ended: boolean;
}

/** The final event of a response whose process died before it wrote one. */
async function failedEvent(source: EventSource, row: EventRow, number: number): Promise<EventOfResponse[]> {
  const now = await source.database.prisma.stored_response.findUnique({ where: { id: row.id } });
  if (now?.status !== "failed") return [];
  const json = JSON.stringify({ ...openContent(source.sealer, now).response, status: "failed" });
  const type = "response.failed";
  return [{ text: eventFrame(type, number, `"response":${json}}`), type, number }];
}

/** The current events of a response after the number `behind`. */
export const readEvents = (source: EventSource, row: EventRow, behind: number): Promise<NewEvents> =>
  asInteractive(row.org_id, () => readEventsBehind(source, row, behind));

async function readEventsBehind(source: EventSource, row: EventRow, behind: number): Promise<NewEvents> {
  const { stored_response: responses, stored_response_event: events } = source.database.prisma;
  // Read before the events: if it has ended then, all events are there.
  const now = await responses.findUnique({ where: { id: row.id }, select: { status: true } });
  const batches = await events.findMany({
    where: { response_id: row.id, sequence_number: { gt: behind } },
    orderBy: { sequence_number: "asc" },
  });
  const frames = batches.flatMap(({ frames: sealed, sequence_number: first }) =>
    framesOf(source.sealer.open(sealed, placeOf(row, first))),
  );
  const last = frames.at(-1)?.number ?? behind;
  if (frames.some(({ type }) => terminal.has(type))) return { behind, frames, last, ended: true };
  if (running.has(now?.status ?? "")) return { behind, frames, last, ended: false };
  const all = [...frames, ...(await failedEvent(source, row, last + 1))];
  return { behind, frames: all, last: last + 1, ended: true };
}

/** `GET /responses/{id}?stream=true`: the events again, from the number after `after` on. */
export async function followResponse(
  deps: ResponseDeps,
  caller: Authorized<"inference:use">,
  responseId: string,
  after: number,
  signal: AbortSignal,
): Promise<Frames> {
  const row = await findStored(deps, caller, responseId);
  if (row.background && row.streamed) return deps.followers.follow(row, after, signal);
  throw new AppError(
    "BAD_REQUEST",
    "Only a response made with background: true and stream: true can be streamed again",
    { param: "stream" },
  );
}
