import type { ChatRequest } from "#contract/chat.ts";
import { type Endpoint, fieldRule } from "#server/catalog/index.ts";
import { sendExtras, sendFields } from "#server/inference/parameters/send.ts";
import { asksFor } from "#server/inference/parameters/used.ts";
import type { Wire } from "#server/inference/pipeline/operation.ts";
import { reasoningOf } from "#server/inference/reasoning/form.ts";
import {
  encryptsReasoning,
  losesReasoningWithTools,
  reasoningNames,
  sendChatReasoningToResponses,
} from "#server/inference/reasoning/send.ts";
import { fitSettings } from "../openai-chat/fit-settings.ts";
import { messagesFor } from "../openai-chat/messages.ts";
import { type ChatChunk, chatFields, chatMaxTokens, chatParameters, ofTools } from "../openai-chat/wire.ts";
import { isJson, type Json } from "../shared/json.ts";
import { responseChatReader } from "./chat-answer.ts";
import { responseFieldsOfChat } from "./chat-fields.ts";
import { itemsOfChat } from "./chat-items.ts";
import { sealedThoughts } from "./wire.ts";

const logprobNames: ReadonlySet<string> = new Set(["logprobs", "top_logprobs"]);
const sentFields = chatParameters.filter((name) => !reasoningNames.has(name) && !logprobNames.has(name));
const withoutTools = sentFields.filter((name) => !ofTools.has(name));

/** Fields without which the answer is not what was asked for, and that chat may take where responses does not. */
const contractFields = ["n", "stop", "logprobs", "top_logprobs", "modalities", "audio"] as const;

/** OpenAI's responses operation accepts no lower limit. Chat is used for such an answer where there is chat. */
const maxTokensMin = 16;

/** Whether the responses operation can do what the request depends on. If not, chat does it without reasoning. */
const fits = (request: ChatRequest, { rules }: Endpoint): boolean =>
  (chatMaxTokens(request) ?? maxTokensMin) >= maxTokensMin &&
  contractFields.every((name) => {
    if (!asksFor(name, request[name])) return true;
    const rule = fieldRule(rules, "responses", name);
    return rule?.support === "supported" && !rule.withoutReasoning;
  });

/** Whether chat would answer without the reasoning that is asked for, or the endpoint has no chat. */
function serves(request: ChatRequest, endpoint: Endpoint): boolean {
  if (endpoint.rules.toolsWithReasoning !== "responses" || !request.tools?.length)
    return !endpoint.apis.has("chat");
  if (!endpoint.apis.has("chat")) return true;
  return losesReasoningWithTools(request, endpoint) && fits(request, endpoint);
}

/** Members of messages that items have a place for, or that are reported where they are translated. */
const messageMembers: ReadonlySet<string> = new Set([
  ...["role", "content", "name", "refusal", "audio", "tool_calls", "tool_call_id"],
  ...["reasoning", "reasoning_content", "reasoning_details"],
]);

/** Fields that have another name or place, if they are sent. */
const renamedFields = [
  ["response_format", "text.format"],
  ["verbosity", "text.verbosity"],
] as const;

/** Chat over the responses operation: for what chat rejects, and for models that have no chat. */
export const chatAsResponse: Wire<ChatRequest, ChatChunk> = {
  api: "responses",
  serves,
  encode(request, endpoint, sending) {
    const to = { endpoint, api: "responses", sending };
    const { changes, maxTokens } = sending;
    const messages = messagesFor(request.messages, messageMembers, (name) => changes.drop(name));
    const { items, lost } = itemsOfChat(messages);
    changes.translate("messages", "input");
    for (const name of lost) changes.drop(name);
    const asked = chatMaxTokens(request);
    if (asked !== null) {
      const name = request.max_completion_tokens == null ? "max_tokens" : "max_completion_tokens";
      changes.translate(name, "max_output_tokens");
      if (maxTokens !== null && (maxTokens < asked || maxTokens < maxTokensMin)) changes.clamp(name);
    }
    const body: Json = {
      model: endpoint.upstreamModel,
      input: items,
      ...(maxTokens !== null && { max_output_tokens: Math.max(maxTokens, maxTokensMin) }),
      store: false,
      ...(sending.stream && { stream: true }),
    };
    const include = encryptsReasoning(endpoint) ? [sealedThoughts] : [];
    sendChatReasoningToResponses(request, body, to);
    const isOff = isJson(body.reasoning) && body.reasoning.effort === "none";
    // Some sampling is possible only without reasoning.
    const chat: Json = isOff ? { reasoning_effort: "none" } : {};
    const hasTools = (request.tools?.length ?? 0) > 0;
    if (!hasTools && request.parallel_tool_calls != null) changes.drop("parallel_tool_calls");
    sendFields(request, hasTools ? sentFields : withoutTools, chat, to);
    if (request.logprobs) {
      sendFields({ top_logprobs: request.top_logprobs ?? 0 }, ["top_logprobs"], chat, to);
      include.push("message.output_text.logprobs");
    }
    delete chat.reasoning_effort;
    fitSettings(request, chat, to);
    for (const [name, theirs] of renamedFields) if (chat[name] != null) changes.translate(name, theirs);
    Object.assign(body, responseFieldsOfChat(chat));
    if (include.length > 0) body.include = include;
    sendExtras(request, chatFields, body, to);
    return body;
  },
  reader: (request) => responseChatReader(reasoningOf(request).exclude),
};
