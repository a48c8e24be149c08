import type { ChatRequest } from "#contract/chat.ts";
import type { Caller } from "#server/access/caller.ts";
import { asKey, planFor } from "#server/inference/pipeline/admit.ts";
import type { InferenceDeps } from "#server/inference/pipeline/request-context.ts";
import { bytesPerToken, mediaTokens } from "#server/inference/pipeline/token-bounds.ts";
import { chatMaxTokens } from "#server/inference/wires/openai-chat/wire.ts";
import { chatSize } from "../shared/chat-size.ts";
import { middleOut } from "./middle-out.ts";
import type { chat } from "./operation.ts";

/** The maximum of tokens around a message. */
const tokensAround = 8;
/** Reserved for an answer without a limit; in a small window, a quarter of it. */
const answerTokens = 4096;

function tokensOf(request: ChatRequest): number {
  const { bytes, media } = chatSize(request);
  return (
    Math.ceil(bytes / bytesPerToken) + media.parts * mediaTokens + request.messages.length * tokensAround
  );
}

/**
 * With `transforms: ["middle-out"]`, removes messages from the middle of a conversation that is longer than the widest
 * window of the eligible endpoints. `transforms` remains in the request only if it was applied. Throws like `makePlan`.
 */
export function fitted(
  deps: Pick<InferenceDeps, "router" | "sessions">,
  caller: Caller,
  operation: typeof chat,
  { transforms, ...request }: ChatRequest,
): ChatRequest {
  if (!transforms?.length) return request;
  const short: ChatRequest = { ...request, messages: [{ role: "user", content: "" }] };
  const { plan } = planFor(deps, asKey(caller), operation, short);
  const window = Math.max(
    ...plan.candidates.map(({ endpoint }) => endpoint.contextLength ?? Number.POSITIVE_INFINITY),
  );
  const answer = chatMaxTokens(request) ?? Math.min(answerTokens, Math.floor(window / 4));
  const settings = tokensOf({ ...request, messages: [] });
  const bare: ChatRequest = { ...request, tools: null, response_format: null };
  const messages = middleOut(request.messages, window - answer - settings, (message) =>
    tokensOf({ ...bare, messages: [message] }),
  );
  return messages === request.messages ? request : { ...request, messages: [...messages], transforms };
}
