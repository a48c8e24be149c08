import type { ResponseItem } from "#contract/response-items.ts";
import type { ResponseObject } from "#contract/response-object.ts";
import type { ResponseRequest } from "#contract/responses.ts";
import type { Authorized } from "#server/access/authorize.ts";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { isLongJson } from "#server/platform/long-json.ts";
import { responsesWith } from "../operations/responses/operation.ts";
import { asKey } from "../pipeline/admit.ts";
import { refuseDigests } from "../pipeline/content-digests.ts";
import type { InferenceCall } from "../pipeline/request-context.ts";
import { type Answer, serve } from "../pipeline/serve.ts";
import { beginBackground } from "./background.ts";
import { conversationOf } from "./conversation.ts";
import type { ResponseDeps } from "./response-deps.ts";
import { storeResponse } from "./store-response.ts";
import { storedBefore } from "./stored-before.ts";
import { truncated } from "./truncate.ts";

/**
 * Whether the content of a response is short enough to be stored. If storing is only the default, a longer one is not
 * stored. Throws PAYLOAD_TOO_LARGE if it was requested.
 */
function mayBeStored(
  { store, background, conversation }: ResponseRequest,
  items: readonly ResponseItem[],
): boolean {
  const { storedCharsMax: max } = limits.responses;
  if (!isLongJson(items, max)) return true;
  if (!store && !background && !conversation) return false;
  throw new AppError("PAYLOAD_TOO_LARGE", `input: may have at most ${max} characters to be stored`, {
    param: "input",
    metadata: { bytes_max: max },
  });
}

/**
 * Serves `POST /responses`: reads what the request continues (the only query, and only then), answers it, and stores
 * the answer before the client has its end. Throws `AppError`.
 */
export async function serveResponse(
  deps: ResponseDeps,
  caller: Authorized<"inference:use">,
  request: ResponseRequest,
  call: InferenceCall,
): Promise<Answer<ResponseObject>> {
  const key = asKey(caller);
  const wanted = request.store ?? (deps.storeByDefault || request.background === true);
  if (request.background && !wanted)
    throw new AppError("BAD_REQUEST", "background requires store, because the answer is fetched later", {
      param: "store",
    });
  const { own, items, conversation } = await conversationOf(deps, key, request);
  const isShort = (wanted || conversation !== null) && mayBeStored(request, request.background ? items : own);
  const store = wanted && isShort;
  const prepared = truncated(deps.inference, key, { ...request, items, store });
  if (request.background) refuseDigests(call.digests, "a response in the background has no digest");
  if (request.background) return beginBackground(deps, key, prepared, own, call.signal);
  let ended: ResponseObject | null = null;
  const operation = responsesWith((response) => {
    ended = response;
  });
  const answer = await serve(deps.inference, key, operation, prepared, call);
  if (!store && !conversation) return answer;
  const safe = async () => {
    const response = ended;
    ended = null;
    if (response) await storeResponse(deps, { caller: key, request: prepared, own, response });
  };
  if (answer.frames) return { ...answer, frames: storedBefore(answer.frames, safe) };
  await safe();
  return answer;
}
