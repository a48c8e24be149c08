import { RoutedRequest } from "#contract/completions.ts";
import type { MessageParam } from "#contract/message-blocks.ts";
import { MessagesRequest } from "#contract/messages.ts";
import { type Endpoint, fieldRule } from "#server/catalog/index.ts";
import { clamped, type Sending } from "#server/inference/parameters/send.ts";
import { unsupportedField } from "#server/inference/pipeline/failures.ts";
import type { Json } from "../shared/json.ts";
import { adaptThinking } from "./native-thinking.ts";
import { isForeignThinking } from "./own-signature.ts";
import type { PreparedMessages } from "./prepared-messages.ts";

/** Members of a prepared request that are not Anthropic's; `model` and `metadata` get new values. */
const ownFields: ReadonlySet<string> = new Set([
  ...Object.keys(RoutedRequest.shape),
  ...["chat", "nativeOnly", "protocolHeaders", "max_tokens", "stream"],
]);

/** A turn without thinking that Anthropic did not sign, which it refuses; null if nothing of it is left. */
function withSignedThinking(message: MessageParam): MessageParam | null {
  const { content } = message;
  if (typeof content === "string") return message;
  if (!content.some(isForeignThinking)) return message;
  const signed = content.filter((block) => !isForeignThinking(block));
  return signed.length > 0 ? { ...message, content: signed } : null;
}

/** Members of a request that Anthropic documents, with or without a place in our schema. */
const documentedFields: ReadonlySet<string> = new Set([
  ...Object.keys(MessagesRequest.shape),
  ...["cache_control", "container", "inference_geo"],
]);

const samplingFields = ["temperature", "top_p", "top_k"] as const;

/**
 * A request for Anthropic's own API: as the client wrote it, with the endpoint's model and limit, and without what the
 * model refuses.
 */
export function nativeBody(
  request: PreparedMessages,
  endpoint: Endpoint,
  { maxTokens, stream, changes }: Sending,
): Json {
  const { upstreamModel, rules } = endpoint;
  const messages = request.messages.flatMap((message) => withSignedThinking(message) ?? []);
  if (rules.withoutPrefill && messages.at(-1)?.role === "assistant") throw unsupportedField("messages");
  const user = request.metadata?.user_id ?? request.user;
  const body: Json = {};
  const betas = request.protocolHeaders["anthropic-beta"];
  for (const [name, value] of Object.entries(request)) {
    if (ownFields.has(name) || value == null) continue;
    // Fields of a beta come with its header; without one, Anthropic refuses what it does not know.
    if (betas === undefined && !documentedFields.has(name)) changes.drop(name);
    else body[name] = value;
  }
  for (const name of samplingFields) {
    const rule = fieldRule(rules, "messages", name);
    if (!rule || !(name in body)) continue;
    const isTaken = rule.support !== "unsupported" && !(rule.insteadOf && rule.insteadOf in body);
    if (isTaken) body[name] = clamped(name, body[name], rule, changes);
    else {
      delete body[name];
      changes.drop(name);
    }
  }
  if (messages.length < request.messages.length || messages.some((each, at) => each !== request.messages[at]))
    changes.drop("messages.thinking");
  const limit = maxTokens ?? request.max_tokens;
  adaptThinking({ body, request, at: endpoint, changes, maxTokens: limit }, messages);
  return {
    ...body,
    model: upstreamModel,
    messages,
    max_tokens: limit,
    ...(user != null && { metadata: { user_id: user } }),
    ...(stream && { stream }),
  };
}
