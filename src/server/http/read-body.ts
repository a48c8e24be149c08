import type { IncomingMessage } from "node:http";
import type { ByteHold, Refusal } from "#server/platform/byte-budget.ts";
import { AppError, toAppError } from "#server/platform/errors.ts";
import { JsonBoundError, type JsonBounds, JsonGuard } from "#server/platform/json-guard.ts";
import { limits } from "#server/platform/limits.ts";

/** The maximum size and number of values of a body. */
export interface BodyBounds extends JsonBounds {
  readonly bytesMax: number;
}

/** A body as received, with the counts made while reading it. */
export interface CountedBody {
  readonly bytes: Buffer;
  readonly guard: JsonGuard;
}

/** The rest of the body is not read then, so this connection cannot carry another request. */
const unread = { connection: "close" };

const tooLarge = (bytesMax: number) =>
  new AppError("PAYLOAD_TOO_LARGE", `The body may have at most ${bytesMax} bytes`, {
    metadata: { bytes_max: bytesMax },
    headers: unread,
  });

const tooSlow = (message: string) => new AppError("REQUEST_TIMEOUT", message, { headers: unread });

const cutOff = (cause?: unknown) => new AppError("BAD_REQUEST", "The body was cut off", { cause });

const retryLater = { ...unread, "retry-after": String(limits.body.retryAfterMs / 1000) };

const refusals: Record<Refusal, () => AppError> = {
  share: () =>
    new AppError(
      "RATE_LIMIT_EXCEEDED",
      "Your running requests use as many bytes as they may at the same time. Try again when some have ended.",
      { headers: retryLater },
    ),
  all: () =>
    new AppError(
      "SERVICE_UNAVAILABLE",
      "The running requests use as many bytes as this server accepts at the same time. Try again soon.",
      { headers: retryLater },
    ),
};

/** Counts the next bytes of a body. Throws BAD_REQUEST if it exceeds its limits. */
export function countBytes(guard: JsonGuard, bytes: Buffer): void {
  try {
    guard.feed(bytes);
  } catch (error) {
    if (error instanceof JsonBoundError) throw new AppError("BAD_REQUEST", `The body ${error.message}`);
    throw error;
  }
}

/** One body that is being read. */
class Reading {
  readonly #guard: JsonGuard;
  readonly #req: IncomingMessage;
  readonly #bytesMax: number;
  readonly #hold: ByteHold;
  /** Content length; reserved from the beginning. */
  readonly #announced: number;
  readonly #outcome = Promise.withResolvers<CountedBody>();
  #chunks: Buffer[] = [];
  /** The buffer for a long body of known length. */
  #whole: Buffer | null = null;
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Set once the body exceeds its limits; the rest is discarded. */
  #refusal: AppError | null = null;

  constructor(req: IncomingMessage, bounds: BodyBounds, hold: ByteHold) {
    this.#guard = new JsonGuard(bounds);
    this.#req = req;
    this.#bytesMax = bounds.bytesMax;
    this.#hold = hold;
    this.#announced = Number(req.headers["content-length"] ?? 0);
  }

  read(): Promise<CountedBody> {
    const req = this.#req;
    if (this.#announced > this.#bytesMax) this.#hangUp(tooLarge(this.#bytesMax));
    // If the client has disconnected already, Node emits no more events, not even an error.
    else if (req.destroyed) this.#hangUp(cutOff());
    else if (this.#hasRoom(this.#announced)) {
      // A short body is available with its head, once Node has parsed both.
      process.nextTick(() => {
        if (!req.complete) this.#watchTime();
      });
      req.on("data", (chunk: Buffer) => this.#receive(chunk));
      req.on("end", () => this.#end());
      req.on("error", (error) => this.#hangUp(cutOff(error)));
    }
    return this.#outcome.promise;
  }

  #hasRoom(bytes: number): boolean {
    const refusal = this.#hold.take(bytes);
    if (refusal) this.#hangUp(refusals[refusal]());
    return refusal === null;
  }

  #receive(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#bytesMax) {
      this.#hangUp(tooLarge(this.#bytesMax));
      return;
    }
    if (this.#refusal || (this.#bytes > this.#announced && !this.#hasRoom(chunk.length))) return;
    try {
      countBytes(this.#guard, chunk);
      if (this.#announced <= limits.body.yieldAboveBytes) this.#chunks.push(chunk);
      else {
        this.#whole ??= Buffer.allocUnsafeSlow(this.#announced);
        chunk.copy(this.#whole, this.#bytes - chunk.length);
      }
    } catch (error) {
      // It is still read to its end: a client that is still sending would not read the refusal.
      this.#refusal = toAppError(error);
      this.#letGo();
    }
  }

  #end(): void {
    clearTimeout(this.#timer);
    if (this.#refusal) {
      this.#outcome.reject(this.#refusal);
      return;
    }
    if (!this.#hasRoom(this.#guard.valueBytes())) return;
    const chunks = this.#chunks;
    const bytes =
      this.#whole ?? (chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, this.#bytes));
    this.#outcome.resolve({ bytes, guard: this.#guard });
  }

  #watchTime(): void {
    const { bodyTimeoutMs, bodyCheckMs, longBodyBytes, longBodyBytesPerSecondMin } = limits.http;
    let leftMs = bodyTimeoutMs;
    let before = 0;
    const lookIn = (waitMs: number) => {
      this.#timer = setTimeout(() => {
        leftMs -= waitMs;
        const came = this.#bytes - before;
        before = this.#bytes;
        const isLong = Math.max(this.#announced, this.#bytes) > longBodyBytes;
        if (leftMs <= 0) this.#hangUp(tooSlow(`The body must arrive within ${bodyTimeoutMs / 1000} s`));
        else if (isLong && came < (longBodyBytesPerSecondMin * waitMs) / 1000)
          this.#hangUp(
            tooSlow(
              `A body of this length must arrive with at least ${longBodyBytesPerSecondMin} bytes per second`,
            ),
          );
        else lookIn(Math.min(bodyCheckMs, leftMs));
      }, waitMs);
    };
    lookIn(Math.min(bodyCheckMs, leftMs));
  }

  /** Stops reading. */
  #hangUp(error: AppError): void {
    clearTimeout(this.#timer);
    this.#req.pause();
    this.#letGo();
    this.#outcome.reject(error);
  }

  #letGo(): void {
    this.#chunks = [];
    this.#whole = null;
    this.#hold.release();
  }
}

/**
 * Reads a complete body and counts its values meanwhile. `hold` grows by its bytes; the caller releases it. Throws
 * PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT, BAD_REQUEST for a body that exceeds its limits, RATE_LIMIT_EXCEEDED and
 * SERVICE_UNAVAILABLE if there is no room for its bytes.
 */
export const readBody = (req: IncomingMessage, bounds: BodyBounds, hold: ByteHold): Promise<CountedBody> =>
  new Reading(req, bounds, hold).read();
