import { buildConnector, type Dispatcher, Pool } from "undici";
import { type AllowedHosts, checkUrl, type GuardOptions, guardedLookup, refusalOf } from "./address-guard.ts";
import { type Batches, noMoreBatches } from "./batches.ts";
import { clock } from "./clock.ts";
import { skipInterimResponses } from "./interim-responses.ts";
import { limits } from "./limits.ts";
import { OutboundError } from "./outbound-error.ts";
import { ReaderSignal } from "./reader-signal.ts";
import { TimeoutWheel, type Waiting } from "./timeout-wheel.ts";

export { allowedHosts, mayConnect } from "./address-guard.ts";
export { OutboundError, type OutboundFailure } from "./outbound-error.ts";

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
class Exchange implements Dispatcher.DispatchHandler, OutboundResponse, Waiting {
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

  constructor(request: OutboundRequest, outcome: Outcome) {
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
    this.#waitingSinceMs = clock.monotonicMs();
    this.#chunks.push(chunk);
    this.#bufferedBytes += chunk.length;
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
        for (const chunk of this.#take()) {
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
    const batches: Batches<Buffer> = {
      next: () => this.#next(),
      return: async () => {
        if (!this.#ended) this.abort();
        return noMoreBatches;
      },
      [Symbol.asyncIterator]: () => batches,
    };
    return batches;
  }

  abort(): void {
    this.#abortWith(new OutboundError("aborted", "The exchange was aborted"));
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

  #take(): Buffer[] {
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

  async #next(): Promise<IteratorResult<readonly Buffer[], void>> {
    while (this.#chunks.length === 0 && !this.#ended) await this.#signal.wait();
    if (this.#chunks.length > 0) return { done: false, value: this.#take() };
    if (this.#error) throw this.#error;
    return noMoreBatches;
  }

  /** Milliseconds until the current wait times out. */
  #waitMs(): number {
    const now = clock.monotonicMs();
    const { firstByteTimeoutMs, idleTimeoutMs } = this.#request;
    const pauseMs = typeof idleTimeoutMs === "number" ? idleTimeoutMs : idleTimeoutMs();
    const allowedMs = this.status === 0 ? firstByteTimeoutMs : pauseMs;
    const idleMs = this.#controller?.paused ? allowedMs : this.#waitingSinceMs + allowedMs - now;
    return Math.min(idleMs, this.#request.deadlineMs - now);
  }

  checkTime(): void {
    if (this.#request.signal?.aborted) this.abort();
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

/** All outgoing HTTP requests: pooled connections, address guard, explicit timeouts, no redirects. */
export class Outbound {
  readonly #allowed: AllowedHosts;
  readonly #options: GuardOptions;
  readonly #pools = new Map<string, Pool>();

  /** The setting that allows private hosts. */
  readonly setting: string;

  constructor(allowed: AllowedHosts, options: GuardOptions = { setting: "ALLOW_PRIVATE_HOSTS" }) {
    this.#allowed = allowed;
    this.#options = options;
    this.setting = options.setting;
  }

  /** Why requests to a URL are refused, or null. For checking a URL when it is saved. */
  refusal(url: URL): Promise<string | null> {
    return refusalOf(url, this.#allowed, this.#options);
  }

  /** Sends a request. Resolves when the response's head arrives. Throws `OutboundError`. */
  send(request: OutboundRequest): Promise<OutboundResponse> {
    return new Promise((resolve, reject) => {
      const exchange = new Exchange(request, { resolve, reject });
      try {
        this.#pool(request.url).dispatch(
          {
            path: request.url.pathname + request.url.search,
            method: request.method,
            headers: request.headers,
            body: request.body ?? null,
            headersTimeout: 0,
            bodyTimeout: 0,
          },
          exchange,
        );
      } catch (error) {
        exchange.onResponseError(undefined, error instanceof Error ? error : new Error(String(error)));
      }
    });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool.destroy()));
  }

  #pool(url: URL): Pool {
    // Credentials are not part of an origin, so they must be checked even if its pool is open.
    if (url.username || url.password) throw new OutboundError("blocked", "No credentials in URLs");
    const known = this.#pools.get(url.origin);
    if (known) return known;
    checkUrl(url, this.#allowed, this.#options);
    const connector = buildConnector({
      timeout: limits.upstream.connectTimeoutMs,
      lookup: guardedLookup(url, this.#allowed, this.#options),
    });
    const pool = new Pool(url.origin, {
      connections: limits.upstream.connectionsPerOriginMax,
      keepAliveTimeout: limits.upstream.keepAliveTimeoutMs,
      maxHeaderSize: limits.upstream.headerBytesMax,
      connect: (options, callback) =>
        connector(options, (...result) => {
          if (result[1]) skipInterimResponses(result[1]);
          callback(...result);
        }),
    });
    this.#pools.set(url.origin, pool);
    return pool;
  }
}
