import type { ResponseObject, ResponseRequest } from "#contract/responses.ts";
import type { Caller } from "#server/auth/caller.ts";
import { AppError } from "#server/platform/errors.ts";
import { asKey } from "./admit.ts";
import type { Frames } from "./frames.ts";
import type { InferenceCall } from "./job.ts";
import { responsesWith } from "./operations/responses.ts";
import { type Answer, serve } from "./serve.ts";
import { beginBackground } from "./stored/background.ts";
import { conversationOf } from "./stored/conversation.ts";
import { keep } from "./stored/keep.ts";
import type { ResponseParts } from "./stored/response-parts.ts";
import { truncated } from "./truncate.ts";

/** Gives out what a stream brings; before its last bytes, what must be safe by then is made safe. */
async function* keptBefore(frames: Frames, safe: () => Promise<void>): Frames {
  try {
    for (;;) {
      const { value, done } = await frames.next();
      if (done) return value;
      await safe();
      yield value;
    }
  } finally {
    await frames.return("left");
  }
}

/**
 * Serves `POST /responses`: reads what the request continues (the only question to the database, and only then),
 * answers it, and keeps the answer before the client has its end. Throws `AppError`.
 */
export async function serveResponse(
  parts: ResponseParts,
  caller: Caller,
  request: ResponseRequest,
  call: InferenceCall,
): Promise<Answer<ResponseObject>> {
  const key = asKey(caller);
  const store = request.store ?? (parts.storeByDefault || request.background === true);
  if (request.background && !store)
    throw new AppError("BAD_REQUEST", "background needs store: the answer is fetched later", {
      param: "store",
    });
  const { own, items } = await conversationOf(parts, key, request);
  const prepared = truncated(parts.inference, key, { ...request, items, store });
  if (request.background) return beginBackground(parts, key, prepared, own, call.signal);
  let ended: ResponseObject | null = null;
  const operation = responsesWith((response) => {
    ended = response;
  });
  const answer = await serve(parts.inference, key, operation, prepared, call);
  if (!store) return answer;
  const safe = async () => {
    const response = ended;
    ended = null;
    if (response) await keep(parts, { caller: key, request: prepared, own, response });
  };
  if (answer.frames) return { ...answer, frames: keptBefore(answer.frames, safe) };
  await safe();
  return answer;
}
