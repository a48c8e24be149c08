import type { Caller } from "#server/access/caller.ts";
import type { Answer, InferenceCall, InferenceRequest } from "#server/inference/index.ts";
import { AppError } from "#server/platform/errors.ts";
import type { Context } from "./context.ts";

export type Asking = Context & { caller: Caller };

/** One whole answer; streams are the HTTP lane's. */
export async function wholeOf<Whole>(
  { requestId, signal }: Asking,
  { stream }: InferenceRequest,
  ask: (call: InferenceCall) => Promise<Answer<Whole>>,
): Promise<Whole> {
  if (stream) throw new AppError("BAD_REQUEST", "Streams are served over HTTP only", { param: "stream" });
  const answer = await ask({ requestId, appTitle: null, signal });
  if (answer.frames) throw new TypeError("A whole answer was asked for and a stream was given");
  return answer.body;
}
