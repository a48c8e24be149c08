import type { ChatCompletion, ChatRequest } from "#contract/chat.ts";
import type { Authorized } from "#server/access/authorize.ts";
import type { InferenceCall, InferenceDeps } from "#server/inference/pipeline/request-context.ts";
import { type Answer, serve } from "#server/inference/pipeline/serve.ts";
import { fitted } from "./fit-context.ts";
import { usesFunctions, withTools } from "./legacy-functions.ts";
import { legacyChat } from "./legacy-operation.ts";
import { chat } from "./operation.ts";

const asItIs = (operation: typeof chat): typeof chat => operation;

/**
 * Serves `POST /chat/completions`, in the older form with `functions` too, and with a conversation that is made to
 * fit. The header `x-portolan-transforms` reports the latter. `adapted` may add to the operation that is chosen.
 * Throws `AppError`.
 */
export async function serveChat(
  deps: InferenceDeps,
  caller: Authorized<"inference:use">,
  request: ChatRequest,
  call: InferenceCall,
  adapted: (operation: typeof chat) => typeof chat = asItIs,
): Promise<Answer<ChatCompletion>> {
  const operation = adapted(usesFunctions(request) ? legacyChat : chat);
  const sent = fitted(deps, caller, operation, withTools(request));
  const answer = await serve(deps, caller, operation, sent, call);
  if (!sent.transforms) return answer;
  const headers = { ...answer.headers, "x-portolan-transforms": sent.transforms.join(",") };
  return answer.frames ? { ...answer, headers } : { ...answer, headers };
}
