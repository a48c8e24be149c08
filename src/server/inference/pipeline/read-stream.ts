import { type Batches, noMoreBatches } from "#server/platform/batches.ts";
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
export class ChunkBatches<C extends Chunk> implements Batches<C> {
  readonly #attempt: Attempt<C>;
  readonly #events: Batches<unknown>;
  readonly #guard = createThroughputGuard(limits.upstream.slow);
  #hasBegun = false;
  /** Thrown by the next step. */
  #failure: unknown;
  /** Whether more events may come. */
  #isReading = true;
  /** Whether the end of the answer, which no event marked, comes next. */
  #isEnding = false;

  constructor(attempt: Attempt<C>) {
    this.#attempt = attempt;
    this.#events = attempt.upstream.stream(attempt.exchange);
  }

  async next(): Promise<IteratorResult<readonly C[], void>> {
    const { reader, exchange } = this.#attempt;
    try {
      while (this.#isReading) {
        if (this.#failure !== undefined) throw this.#failure;
        const askedMs = clock.monotonicMs();
        const { value: events, done } = await this.#events.next();
        if (done) {
          this.#isEnding = this.#isReading;
          break;
        }
        const isSlow = this.#hasBegun && this.#guard.waited(clock.monotonicMs() - askedMs, events.length);
        if (isSlow && !reader.finished()) throw tooSlow();
        const chunks = this.#chunksOf(events);
        if (chunks !== null) return { done: false, value: chunks };
      }
    } catch (error) {
      this.#isEnding = isBehindEnd(error, reader, exchange.signal);
      if (!this.#isEnding) {
        await this.return();
        throw error;
      }
    }
    const isEnding = this.#isEnding;
    await this.return();
    return isEnding ? { done: false, value: [reader.end()] } : noMoreBatches;
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

  async return(): Promise<IteratorResult<readonly C[], void>> {
    this.#isReading = false;
    this.#isEnding = false;
    await this.#events.return();
    return noMoreBatches;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
