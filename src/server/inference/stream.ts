import type { Completion } from "#contract/completions.ts";
import { errorTable } from "#contract/errors.ts";
import type { CompletionUsage } from "#contract/usage.ts";
import type { Usage } from "#server/billing/index.ts";
import { limits } from "#server/platform/limits.ts";
import { internalFailure, isAttemptFailure, malformed, toAttemptError } from "./failures.ts";
import { type Job, settle, usageOr } from "./job.ts";
import { completionHead, completionUsage } from "./result.ts";
import type { Generated } from "./wire/generated.ts";

/** One `data:` of a streamed completion; the last one carries usage, a failed stream's last one an error. */
export type CompletionChunk = Omit<Completion, "usage" | "choices"> & {
  readonly choices: readonly unknown[];
  readonly usage?: CompletionUsage;
  readonly error?: { code: number; message: string; metadata: Record<string, unknown> };
};

interface Begun {
  chunks(job: Job): AsyncGenerator<CompletionChunk>;
}

const hasContent = ({ choices }: Generated): boolean =>
  choices.some(({ text, reasoning, finish_reason }) => text !== "" || reasoning || finish_reason !== null);

/**
 * Reads an upstream's stream up to its first content, so that a failure before it can still be answered by
 * another endpoint. Throws what the upstream's stream throws.
 */
export async function startStream(parts: AsyncGenerator<Generated, void, undefined>): Promise<Begun> {
  const first: Generated[] = [];
  for (;;) {
    const { value, done } = await parts.next();
    if (done) throw malformed("it has no content", 200);
    first.push(value);
    if (hasContent(value)) break;
  }
  return {
    async *chunks(job) {
      yield* relay(job, first, parts);
    },
  };
}

interface Progress {
  text: string;
  usage: Usage | null;
  finish: string | null;
  native: string | null;
  fingerprint: string | null;
}

function note(progress: Progress, part: Generated): void {
  progress.usage = part.usage ?? progress.usage;
  progress.fingerprint = part.systemFingerprint ?? progress.fingerprint;
  for (const choice of part.choices) {
    progress.text += choice.text + (choice.reasoning ?? "");
    progress.finish = choice.finish_reason ?? progress.finish;
    progress.native = choice.native_finish_reason ?? progress.native;
  }
}

/** Writes now and then how far the stream has come, so that a crash bills what was produced. */
function progressWriter(job: Job, progress: Progress) {
  let chunks = 0;
  let writtenMs = job.generation.elapsedMs();
  return () => {
    chunks++;
    const now = job.generation.elapsedMs();
    if (chunks % limits.stream.progressEveryChunks !== 0 && now - writtenMs < limits.stream.progressEveryMs)
      return;
    writtenMs = now;
    const usage = usageOr(progress.usage, job.request, progress.text);
    const row = job.generation.row({ status: "interrupted", httpStatus: 200, usage });
    job.parts.billing
      .progress(row)
      .catch((error: unknown) =>
        job.parts.log.error(
          { event: "spool", generation_id: job.generation.id, error },
          "Progress could not be spooled",
        ),
      );
  };
}

async function* relay(
  job: Job,
  first: readonly Generated[],
  rest: AsyncGenerator<Generated, void, undefined>,
): AsyncGenerator<CompletionChunk> {
  const { generation, request } = job;
  const { statistics } = job.parts;
  const endpointId = generation.served?.endpoint.id ?? "";
  const progress: Progress = { text: "", usage: null, finish: null, native: null, fingerprint: null };
  const wrote = progressWriter(job, progress);
  let ended = false;
  const end = async (ending: Parameters<typeof settle>[1]) => {
    ended = true;
    await settle(job, { finishReason: progress.finish, nativeFinishReason: progress.native, ...ending });
  };
  generation.firstContent();
  try {
    for (const part of first) {
      note(progress, part);
      if (part.choices.length > 0)
        yield { ...completionHead(generation, part.systemFingerprint), choices: part.choices };
    }
    for await (const part of rest) {
      note(progress, part);
      wrote();
      if (part.choices.length > 0)
        yield { ...completionHead(generation, part.systemFingerprint), choices: part.choices };
    }
    const usage = usageOr(progress.usage, request, progress.text);
    statistics.produced(endpointId, usage.completion, generation.contentMs());
    await end({ status: "completed", httpStatus: 200, usage });
    yield {
      ...completionHead(generation, progress.fingerprint),
      choices: [],
      usage: completionUsage(usage, generation.cost(usage)),
    };
  } catch (error) {
    // The reader left and the upstream was closed for it: no failure, and nobody to tell.
    if (job.call.signal.aborted) return;
    if (!isAttemptFailure(error)) {
      job.parts.log.error({ event: "stream", generation_id: generation.id, error }, "A stream failed");
    }
    const failure = isAttemptFailure(error) ? toAttemptError(error).failure : internalFailure;
    if (failure.blame === "provider") statistics.failed(endpointId, failure.retryAfterMs);
    const usage = usageOr(progress.usage, request, progress.text);
    await end({ status: "failed", httpStatus: 200, errorCode: failure.code, finishReason: "error", usage });
    yield {
      ...completionHead(generation, progress.fingerprint),
      choices: [
        {
          text: "",
          index: 0,
          finish_reason: "error",
          native_finish_reason: null,
          reasoning: null,
          logprobs: null,
        },
      ],
      usage: completionUsage(usage, generation.cost(usage)),
      error: {
        code: errorTable[failure.code].status,
        message: failure.message,
        metadata: {
          code: failure.code,
          error_type: errorTable[failure.code].kind,
          provider_code: failure.outcome,
        },
      },
    };
  } finally {
    // The reader left: what was produced until now is billed.
    if (!ended) {
      const usage = usageOr(progress.usage, request, progress.text);
      await end({ status: "cancelled", httpStatus: 200, usage });
      await rest.return();
    }
  }
}
