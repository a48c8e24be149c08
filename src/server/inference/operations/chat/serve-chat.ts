import type { ChatCompletion, ChatRequest } from "#contract/chat.ts";
import type { Authorized } from "#server/access/authorize.ts";
import type { InferenceCall, InferenceDeps } from "#server/inference/pipeline/request-context.ts";
import { type Answer, serve } from "#server/inference/pipeline/serve.ts";
import { usesFunctions, withTools } from "./legacy-functions.ts";
import { legacyChat } from "./legacy-operation.ts";
import { chat } from "./operation.ts";

/** Serves `POST /chat/completions`, in the older form with `functions` too. Throws `AppError`. */
export const serveChat = async (
  deps: InferenceDeps,
  caller: Authorized<"inference:use">,
  request: ChatRequest,
  call: InferenceCall,
): Promise<Answer<ChatCompletion>> =>
  serve(deps, caller, usesFunctions(request) ? legacyChat : chat, withTools(request), call);
