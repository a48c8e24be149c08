import { errorTable } from "#contract/errors.ts";
import { type AttemptFailure, errorTypeOf } from "#server/inference/pipeline/failures.ts";
import { dataFrame, doneFrame } from "#server/inference/pipeline/frames.ts";
import type { Presenter, UsageAndCost } from "#server/inference/pipeline/operation.ts";
import { completionUsage } from "#server/inference/pipeline/result.ts";
import type { AnyChoice, ChoicesChunk } from "#server/inference/wires/shared/choices.ts";

/** A failure in the last chunk of a stream. */
export const streamError = (failure: AttemptFailure) => ({
  code: errorTable[failure.code].status,
  message: failure.message,
  ...(failure.parameter !== undefined && { param: failure.parameter }),
  metadata: { code: failure.code, error_type: errorTypeOf(failure), provider_code: failure.outcome },
});

/**
 * Chunks of OpenAI's text operations: the same head on each, choices as they arrive, usage in a last chunk without
 * choices, `[DONE]` only after a complete answer.
 */
export function choicesPresenter<Choice extends AnyChoice>(
  head: Record<string, unknown>,
  failedChoice: unknown,
): Presenter<ChoicesChunk<Choice>> {
  // The head never changes within a stream, so it is serialized once.
  const opening = JSON.stringify(head).slice(0, -1);
  /** A member that is null is refused by some clients, so it is left out until there is a fingerprint. */
  let fingerprint = "";
  /** Members of the answer that came without a choice go out with the next chunk. */
  let extras: Record<string, unknown> | null = null;
  let isSpoken = false;
  const frame = (tail: string): string => {
    const others = extras === null ? "" : `,${JSON.stringify(extras).slice(1, -1)}`;
    extras = null;
    return dataFrame(`${opening}${fingerprint}${others},"choices":${tail}}`);
  };
  const usageOf = ({ usage, cost }: UsageAndCost): string => JSON.stringify(completionUsage(usage, cost));
  return {
    begin: () => "",
    chunk({ choices, systemFingerprint, extras: more }) {
      isSpoken = true;
      if (systemFingerprint !== null)
        fingerprint = `,"system_fingerprint":${JSON.stringify(systemFingerprint)}`;
      if (more !== null) extras = extras === null ? more : { ...extras, ...more };
      return choices.length === 0 ? "" : frame(JSON.stringify(choices));
    },
    completed: (billed) => frame(`[],"usage":${usageOf(billed)}`) + doneFrame,
    failed(failure, billed) {
      const error = JSON.stringify(streamError(failure));
      // Instead of an answer OpenAI sends an error without choices, and some clients detect it by that.
      if (!isSpoken) return dataFrame(`${opening},"error":${error}}`);
      return frame(`[${JSON.stringify(failedChoice)}],"usage":${usageOf(billed)},"error":${error}`);
    },
  };
}
