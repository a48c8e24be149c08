import type { Dispatcher } from "undici";
import { Batches, type Taken } from "./batches.ts";
import { clock } from "./clock.ts";
import { limits } from "./limits.ts";
import { OutboundError } from "./outbound-error.ts";
import { ReaderSignal } from "./reader-signal.ts";
import { TimeoutWheel, type Waiting } from "./timeout-wheel.ts";

export interface OutboundRequest {
  readonly url: URL;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly headers: Record<string, string>;
  readonly body?: string | Buffer;
  readonly firstByteTimeoutMs: number;
  /** A function if it changes while the answer is read. */
  readonly idleTimeoutMs: number | (() => number);
  /** Monotonic time at which the exchange is aborted. */
  readonly deadlineMs: number;
  /** Aborts the exchange at any point. */
  readonly signal?: AbortSignal;
}

export interface OutboundResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /**
   * The complete body. `each` gets the chunks as they arrive and can abort the exchange by throwing. Throws
   * `OutboundError` if the body is cut off, too slow or larger than `bytesMax`.
   */
  bytes(bytesMax: number, each?: (chunk: Buffer) => void): Promise<Buffer>;
  /** The same as text. */
  text(bytesMax: number): Promise<string>;
  /**
   * The body as it arrives, all chunks that arrived since the last batch in one, never an empty batch. The upstream is
   * read only as fast as this is consumed.
   */
  batches(): Batches<Buffer>;
  /**
   * Reads no further after the last thing that matters. If the body ends soon (`limits.upstream.release`), its
   * connection serves other requests; otherwise it is closed.
   */
  release(): void;
  /** Closes the connection at once. */
  abort(): void;
}

type Outcome = {
  readonly resolve: (response: OutboundResponse) => void;
  readonly reject: (error: unknown) => void;
};

/** Aborts are detected by the same check, up to `timeCheckMs` late, because a listener per signal costs more. */
const timeouts = new TimeoutWheel();

/** One request and its answer: undici's handler on one side, a pull-based body on the other. */
export class Exchange
  extends Batches<Buffer>
  implements Dispatcher.DispatchHandler, OutboundResponse, Waiting
{
  wheelIndex = -1;
  status = 0;
  headers: OutboundResponse["headers"] = {};
  readonly #request: OutboundRequest;
  #outcome: Outcome | null;
  #controller: Dispatcher.DispatchController | undefined;
  #chunks: Buffer[] = [];
  #bufferedBytes = 0;
  #ended = false;
  #error: OutboundError | undefined;
  readonly #signal = new ReaderSignal();
  #waitingSinceMs = clock.monotonicMs();
  #isReleased = false;

  constructor(request: OutboundRequest, outcome: Outcome) {
    super();
    this.#request = request;
    this.#outcome = outcome;
    timeouts.add(this);
    if (request.signal?.aborted) this.abort();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#error) controller.abort(this.#error);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: OutboundResponse["headers"],
  ): void {
    if (status < 200) return;
    this.status = status;
    this.headers = headers;
    this.#waitingSinceMs = clock.monotonicMs();
    this.#outcome?.resolve(this);
    this.#outcome = null;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bufferedBytes += chunk.length;
    if (this.#isReleased) {
      if (this.#bufferedBytes > limits.upstream.release.bytesMax) this.abort();
      return;
    }
    this.#waitingSinceMs = clock.monotonicMs();
    this.#chunks.push(chunk);
    if (this.#bufferedBytes > limits.stream.bufferedBytesMax) {
      controller.pause();
      this.#signal.wake();
    } else this.#signal.wakeAtEndOfTurn();
  }

  onResponseEnd(): void {
    this.#end();
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    this.#error ??= this.#describe(error);
    this.#outcome?.reject(this.#error);
    this.#outcome = null;
    this.#end();
  }

  async bytes(bytesMax: number, each?: (chunk: Buffer) => void): Promise<Buffer> {
    const chunks: Buffer[] = [];
    let bytes = 0;
    try {
      for (;;) {
        for (const chunk of this.#takeChunks()) {
          bytes += chunk.length;
          if (bytes > bytesMax)
            throw new OutboundError("too_large", `The answer is larger than ${bytesMax} bytes`);
          each?.(chunk);
          chunks.push(chunk);
        }
        // What was taken may have made room for more, up to the end.
        if (this.#chunks.length > 0) continue;
        if (this.#ended) break;
        await this.#signal.wait();
      }
    } catch (error) {
      this.abort();
      throw error;
    }
    if (this.#error) throw this.#error;
    return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, bytes);
  }

  async text(bytesMax: number): Promise<string> {
    return (await this.bytes(bytesMax)).toString();
  }

  batches(): Batches<Buffer> {
    return this;
  }

  take(): Taken<Buffer> {
    if (this.#chunks.length > 0) return this.#takeChunks();
    if (!this.#ended) return "waiting";
    if (this.#error) throw this.#error;
    return "ended";
  }

  arrival(): Promise<void> {
    return this.#signal.wait();
  }

  async close(): Promise<void> {
    if (!this.#isReleased) this.abort();
  }

  release(): void {
    if (this.#ended || this.#isReleased) return;
    this.#isReleased = true;
    this.#waitingSinceMs = clock.monotonicMs();
    this.#takeChunks();
  }

  abort(): void {
    if (!this.#ended) this.#abortWith(new OutboundError("aborted", "The exchange was aborted"));
  }

  #abortWith(error: OutboundError): void {
    if (this.#ended) return;
    if (this.#controller) this.#controller.abort(error);
    else this.onResponseError(undefined, error);
  }

  #end(): void {
    timeouts.delete(this);
    this.#ended = true;
    this.#signal.wake();
  }

  #takeChunks(): Buffer[] {
    const taken = this.#chunks;
    if (taken.length === 0) return taken;
    this.#chunks = [];
    this.#bufferedBytes = 0;
    if (this.#controller?.paused) {
      this.#waitingSinceMs = clock.monotonicMs();
      this.#controller.resume();
    }
    return taken;
  }

  /** Milliseconds until the current wait times out. */
  #waitMs(): number {
    const now = clock.monotonicMs();
    if (this.#isReleased) return this.#waitingSinceMs + limits.upstream.release.waitMs - now;
    const { firstByteTimeoutMs, idleTimeoutMs } = this.#request;
    const pauseMs = typeof idleTimeoutMs === "number" ? idleTimeoutMs : idleTimeoutMs();
    const allowedMs = this.status === 0 ? firstByteTimeoutMs : pauseMs;
    const idleMs = this.#controller?.paused ? allowedMs : this.#waitingSinceMs + allowedMs - now;
    return Math.min(idleMs, this.#request.deadlineMs - now);
  }

  checkTime(): void {
    if (this.#request.signal?.aborted && !this.#isReleased) this.abort();
    else if (this.#waitMs() <= 0) this.#abortWith(this.#timeout());
  }

  #timeout(): OutboundError {
    return new OutboundError(
      "timeout",
      this.status === 0 ? "No answer came in time" : "The answer stopped coming",
    );
  }

  #describe(error: Error): OutboundError {
    if (error instanceof OutboundError) return error;
    if (error.cause instanceof OutboundError) return error.cause;
    const before = this.status === 0;
    return new OutboundError(
      before ? "connect" : "cut",
      before ? "The connection failed" : "The answer was cut off",
      error,
    );
  }
}
