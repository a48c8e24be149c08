import type { IncomingMessage } from "node:http";
import type { ByteHold, Refusal } from "#server/platform/byte-budget.ts";
import { AppError, toAppError } from "#server/platform/errors.ts";
import { JsonBoundError, type JsonBounds, JsonGuard } from "#server/platform/json-guard.ts";
import { limits } from "#server/platform/limits.ts";

/** How large a body may be and how much it may hold. */
export interface BodyBounds extends JsonBounds {
  readonly bytesMax: number;
}

/** A body as it came, and what was counted on its way. */
export interface CountedBody {
  readonly bytes: Buffer;
  readonly guard: JsonGuard;
}

/** The rest of the body is not read then: this connection cannot carry another request. */
const unread = { connection: "close" };

const tooLarge = (bytesMax: number) =>
  new AppError("PAYLOAD_TOO_LARGE", `The body may have ${bytesMax} bytes at most`, {
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
      "Your requests under way hold as many bytes as they may at the same time. Try again when some have ended.",
      { headers: retryLater },
    ),
  all: () =>
    new AppError(
      "SERVICE_UNAVAILABLE",
      "The requests under way hold as many bytes as this server takes at the same time. Try again soon.",
      { headers: retryLater },
    ),
};

/** Counts the next bytes of a body. Throws BAD_REQUEST when it holds too much. */
export function countBytes(guard: JsonGuard, bytes: Buffer): void {
  try {
    guard.feed(bytes);
  } catch (error) {
    if (error instanceof JsonBoundError) throw new AppError("BAD_REQUEST", `The body ${error.message}`);
    throw error;
  }
}

/** One body on its way in. */
class Reading {
  readonly #guard: JsonGuard;
  readonly #req: IncomingMessage;
  readonly #bytesMax: number;
  readonly #hold: ByteHold;
  /** Bytes the request says it has; they are held from the beginning. */
  readonly #announced: number;
  readonly #outcome = Promise.withResolvers<CountedBody>();
  #chunks: Buffer[] = [];
  /** Where a long body of known length is put together while it comes. */
  #whole: Buffer | null = null;
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Set once the body holds too much; the rest is thrown away. */
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
    // Of a request whose client has left already Node tells nothing more, not even an error.
    else if (req.destroyed) this.#hangUp(cutOff());
    else if (this.#hasRoom(this.#announced)) {
      // A short body is here with its head, as soon as what Node has read of both is taken in.
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
      // It is read to its end all the same: who is still sending would not read why it is refused.
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
        if (leftMs <= 0) this.#hangUp(tooSlow(`The body must come within ${bodyTimeoutMs / 1000} s`));
        else if (isLong && came < (longBodyBytesPerSecondMin * waitMs) / 1000)
          this.#hangUp(tooSlow(`A body this long must bring ${longBodyBytesPerSecondMin} bytes a second`));
        else lookIn(Math.min(bodyCheckMs, leftMs));
      }, waitMs);
    };
    lookIn(Math.min(bodyCheckMs, leftMs));
  }

  /** Reads no more. */
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
 * Reads a whole body and counts what it holds while it comes. `hold` grows by its bytes; releasing it is left to the
 * caller. Throws PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT, BAD_REQUEST for a body that holds too much, RATE_LIMIT_EXCEEDED
 * and SERVICE_UNAVAILABLE when there is no room for its bytes.
 */
export const readBody = (req: IncomingMessage, bounds: BodyBounds, hold: ByteHold): Promise<CountedBody> =>
  new Reading(req, bounds, hold).read();
