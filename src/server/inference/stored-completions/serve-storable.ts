import type { ChatCompletion, ChatRequest } from "#contract/chat.ts";
import type { Authorized } from "#server/access/authorize.ts";
import { serveChat } from "../operations/chat/serve-chat.ts";
import { asKey } from "../pipeline/admit.ts";
import type { InferenceCall } from "../pipeline/request-context.ts";
import type { Answer } from "../pipeline/serve.ts";
import type { ResponseDeps } from "../responses/response-deps.ts";
import { storedBefore } from "../responses/stored-before.ts";
import { assertStorable, storeCompletion, withEnded } from "./store-completion.ts";

/**
 * Serves `POST /chat/completions`. With `store: true` the answer is stored before the client has its end; an answer
 * that failed, or whose client disconnected, is not stored. Throws `AppError`.
 */
export async function serveStorableChat(
  deps: ResponseDeps,
  caller: Authorized<"inference:use">,
  request: ChatRequest,
  call: InferenceCall,
): Promise<Answer<ChatCompletion>> {
  if (request.store !== true) return serveChat(deps.inference, caller, request, call);
  assertStorable(request);
  let ended: ChatCompletion | null = null;
  const answer = await serveChat(deps.inference, caller, request, call, (operation) =>
    withEnded(operation, (completion) => {
      ended = completion;
    }),
  );
  const safe = async () => {
    const completion = ended;
    ended = null;
    if (completion) await storeCompletion(deps, asKey(caller), request, completion);
  };
  if (answer.frames) return { ...answer, frames: storedBefore(answer.frames, safe) };
  await safe();
  return answer;
}
