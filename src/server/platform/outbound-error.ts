/** Why an exchange with another host failed before or after its first byte. */
export type OutboundFailure = "refused" | "blocked" | "connect" | "timeout" | "cut" | "too_large" | "aborted";

export class OutboundError extends Error {
  override readonly name = "OutboundError";
  readonly failure: OutboundFailure;
  constructor(failure: OutboundFailure, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.failure = failure;
  }
}
