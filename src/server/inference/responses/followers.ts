import { setTimeout as wait } from "node:timers/promises";
import { limits } from "#server/platform/limits.ts";
import { doneFrame, type Frames } from "../pipeline/frames.ts";
import { type EventRow, type EventSource, type NewEvents, readEvents } from "./events.ts";

/** The current events of a response after a number. */
type ReadEvents = (row: EventRow, behind: number) => Promise<NewEvents>;

/** A caller that waits for new events of one response. */
interface Poll {
  readonly waiting: Set<(outcome: Promise<NewEvents>) => void>;
}

const textBehind = ({ frames }: NewEvents, after: number): string =>
  frames.map(({ number, text }) => (number > after ? text : "")).join("");

/**
 * The followers of responses in this process. While any of them wait, one poll per response reads new events; a
 * follower that was behind reads them itself.
 */
export class Followers {
  readonly #read: ReadEvents;
  readonly #pollMs: number;
  readonly #polls = new Map<string, Poll>();

  constructor(read: ReadEvents, pollMs: number = limits.responses.eventsPollMs) {
    this.#read = read;
    this.#pollMs = pollMs;
  }

  /**
   * The past and future events of a response after the number `after`, up to its end, or until `signal` is aborted.
   * One whose process died without a final event ends in `response.failed`.
   */
  async *follow(row: EventRow, after: number, signal: AbortSignal): Frames {
    let last = -1;
    let heard = await this.#read(row, last);
    for (;;) {
      const text = textBehind(heard, Math.max(last, after));
      last = Math.max(last, heard.last);
      if (heard.ended) {
        yield text + doneFrame;
        return "ended";
      }
      if (text !== "") yield text;
      const news = await this.#next(row, last, signal);
      if (news === null) return "left";
      heard = news.behind > last ? await this.#read(row, last) : news;
    }
  }

  /** The next events, which may begin after the one after `last`; null once `signal` is aborted. */
  async #next(row: EventRow, last: number, signal: AbortSignal): Promise<NewEvents | null> {
    if (signal.aborted) return null;
    const { promise, resolve } = Promise.withResolvers<NewEvents | null>();
    const { waiting } = this.#polls.get(row.id) ?? this.#begin(row, last);
    const leave = () => {
      waiting.delete(resolve);
      resolve(null);
    };
    waiting.add(resolve);
    signal.addEventListener("abort", leave, { once: true });
    try {
      return await promise;
    } finally {
      signal.removeEventListener("abort", leave);
    }
  }

  #begin(row: EventRow, last: number): Poll {
    const poll: Poll = { waiting: new Set() };
    this.#polls.set(row.id, poll);
    void this.#run(row, last, poll);
    return poll;
  }

  async #run(row: EventRow, behind: number, { waiting }: Poll): Promise<void> {
    let last = behind;
    for (;;) {
      await wait(this.#pollMs);
      if (waiting.size === 0) break;
      const heard = this.#read(row, last);
      const news = await heard.catch(() => null);
      if (news && news.frames.length === 0 && !news.ended) continue;
      last = news?.last ?? last;
      const reported = [...waiting];
      waiting.clear();
      for (const tell of reported) tell(heard);
    }
    this.#polls.delete(row.id);
  }
}

export const openFollowers = (source: EventSource): Followers =>
  new Followers((row, behind) => readEvents(source, row, behind));
