/**
 * Something every request depends on is unavailable or too busy. `toAppError` turns it into a 503 with `Retry-After`. It
 * has no `code`, because Prisma replaces errors that have one.
 */
export class Unavailable extends Error {
  override readonly name = "Unavailable";
  /** When to try again. */
  readonly retryAfterMs: number;
  /** The request may have taken effect, because its answer was lost. */
  readonly mayBeDone: boolean;

  constructor(message: string, { retryAfterMs, mayBeDone = false, cause }: UnavailableDetails) {
    super(
      mayBeDone ? `${message}. The request may have taken effect` : message,
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

/** The `Unavailable` that an error is or was caused by. Null for other errors. */
export function unavailableIn(error: unknown): Unavailable | null {
  if (error instanceof Unavailable) return error;
  return error instanceof Error && error.cause !== undefined ? unavailableIn(error.cause) : null;
}
