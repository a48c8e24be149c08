/**
 * Something every request depends on cannot be had at the moment, or is too busy. `toAppError` makes it a 503 with
 * `Retry-After`. It has no `code`: Prisma replaces errors that have one.
 */
export class Unavailable extends Error {
  override readonly name = "Unavailable";
  /** When it is worth another try. */
  readonly retryAfterMs: number;
  /** What was asked for may have been done all the same: its answer was lost. */
  readonly mayBeDone: boolean;

  constructor(message: string, { retryAfterMs, mayBeDone = false, cause }: UnavailableDetails) {
    super(
      mayBeDone ? `${message}: what was asked for may have been done all the same` : message,
      cause === undefined ? undefined : { cause },
    );
    this.retryAfterMs = retryAfterMs;
    this.mayBeDone = mayBeDone;
  }
}

interface UnavailableDetails {
  readonly retryAfterMs: number;
  readonly mayBeDone?: boolean;
  readonly cause?: unknown;
}

/** The `Unavailable` that an error is or was caused by; null when something else went wrong. */
export function unavailableIn(error: unknown): Unavailable | null {
  if (error instanceof Unavailable) return error;
  return error instanceof Error && error.cause !== undefined ? unavailableIn(error.cause) : null;
}
