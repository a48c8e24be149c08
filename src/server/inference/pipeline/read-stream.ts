import { Batches, type Taken } from "#server/platform/batches.ts";
import { clock } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import { OutboundError } from "#server/platform/outbound.ts";
import { endOfEvents } from "../providers/kind.ts";
import type { Attempt } from "./attempt.ts";
import { tooSlow } from "./failures.ts";
import type { Chunk, Reader } from "./operation.ts";
import { createThroughputGuard } from "./throughput-guard.ts";

/** Whether a connection failed after the end of an answer, which is complete then. */
const isBehindEnd = (error: unknown, reader: Reader<Chunk>, signal: AbortSignal): boolean =>
  error instanceof OutboundError && reader.finished() && !signal.aborted;

/** The chunks of one batch of events up to a failure, with the end if it has arrived. */
function readBatch<C extends Chunk>(reader: Reader<C>, events: readonly unknown[]) {
  const chunks: C[] = [];
  try {
    for (const event of events) {
      const isEnd = event === endOfEvents;
      const chunk = isEnd ? reader.end() : reader.event(event);
      if (chunk) chunks.push(chunk);
      if (isEnd) return { chunks, isEnded: true };
    }
  } catch (failure) {
    return { chunks, isEnded: false, failure };
  }
  return { chunks, isEnded: false };
}

/**
 * The chunks of a streamed answer, in batches; the last one says how it ended. Throws `AttemptError` or
 * `OutboundError` if the upstream fails, or ends without marking its answer as complete.
 */
export class ChunkBatches<C extends Chunk> extends Batches<C> {
  readonly #attempt: Attempt<C>;
  readonly #events: Batches<unknown>;
  readonly #guard = createThroughputGuard(limits.upstream.slow);
  #hasBegun = false;
  /** On the monotonic clock; undefined while nothing is waited for. */
  #waitingSinceMs: number | undefined;
  /** Thrown by the next step. */
  #failure: unknown;
  /** Whether more events may come. */
  #isReading = true;
  /** Whether the end of the answer, which no event marked, comes next. */
  #isEnding = false;

  constructor(attempt: Attempt<C>) {
    super();
    this.#attempt = attempt;
    this.#events = attempt.upstream.stream(attempt.exchange);
  }

  take(): Taken<C> {
    const { reader, exchange } = this.#attempt;
    try {
      while (this.#isReading) {
        if (this.#failure !== undefined) throw this.#failure;
        const events = this.#events.take();
        if (events === "waiting") {
          this.#waitingSinceMs ??= clock.monotonicMs();
          return "waiting";
        }
        if (events === "ended") {
          this.#isReading = false;
          this.#isEnding = true;
          break;
        }
        if (this.#isTooSlow(events.length)) throw tooSlow();
        const chunks = this.#chunksOf(events);
        if (chunks !== null) return chunks;
      }
    } catch (error) {
      if (!isBehindEnd(error, reader, exchange.signal)) throw error;
      this.#isReading = false;
      this.#isEnding = true;
    }
    if (!this.#isEnding) return "ended";
    this.#isEnding = false;
    return [reader.end()];
  }

  /** Counts a wait that brought so many events. */
  #isTooSlow(brought: number): boolean {
    const waitedMs = this.#waitingSinceMs === undefined ? 0 : clock.monotonicMs() - this.#waitingSinceMs;
    this.#waitingSinceMs = undefined;
    return this.#hasBegun && this.#guard.waited(waitedMs, brought) && !this.#attempt.reader.finished();
  }

  #chunksOf(events: readonly unknown[]): readonly C[] | null {
    const { chunks, isEnded, failure } = readBatch(this.#attempt.reader, events);
    this.#failure = failure;
    if (isEnded) this.#isReading = false;
    // Before the first content another endpoint can still answer instead; afterwards nothing that arrived is lost.
    const isSent = chunks.length > 0 && (failure === undefined || this.#hasBegun);
    this.#hasBegun ||= chunks.some(({ hasContent }) => hasContent);
    return isSent ? chunks : null;
  }

  arrival(): Promise<void> {
    return this.#events.arrival();
  }

  close(): Promise<void> {
    this.#isReading = false;
    this.#isEnding = false;
    return this.#events.close();
  }
}
