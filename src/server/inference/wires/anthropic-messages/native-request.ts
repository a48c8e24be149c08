import { RoutedRequest } from "#contract/completions.ts";
import type { MessageParam } from "#contract/message-blocks.ts";
import { MessagesRequest } from "#contract/messages.ts";
import { type Endpoint, fieldRule } from "#server/catalog/index.ts";
import type { ParameterChanges } from "#server/inference/parameters/changes.ts";
import type { Sending } from "#server/inference/parameters/send.ts";
import { effortOfBudget, nearestLevel } from "#server/inference/reasoning/form.ts";
import { reasoningRowOf } from "#server/inference/reasoning/rows.ts";
import type { Json } from "../shared/json.ts";
import { isSigned } from "./own-signature.ts";
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
  const unsigned = content.some(({ type, signature }) => type === "thinking" && !isSigned(signature));
  if (!unsigned) return message;
  const signed = content.filter(({ type, signature }) => type !== "thinking" || isSigned(signature));
  return signed.length > 0 ? { ...message, content: signed } : null;
}

const has = ({ content }: MessageParam, ...types: readonly string[]): boolean =>
  typeof content !== "string" && content.some(({ type }) => types.includes(type));

/**
 * Whether the tool loop that is under way has calls without thinking before them, such as those of another provider.
 * Anthropic refuses them while it thinks with a budget.
 */
function hasUnsignedCalls(messages: readonly MessageParam[]): boolean {
  const asked = messages.findLastIndex((message) => message.role === "user" && !has(message, "tool_result"));
  return messages
    .slice(asked + 1)
    .some((message) => has(message, "tool_use") && !has(message, "thinking", "redacted_thinking"));
}

/** Members of a request that Anthropic documents, with or without a place in our schema. */
const documentedFields: ReadonlySet<string> = new Set([
  ...Object.keys(MessagesRequest.shape),
  ...["cache_control", "container", "inference_geo"],
]);

/** Models that reason as much as they need take an effort instead of a number of tokens. */
function adaptThinking(body: Json, request: PreparedMessages, at: Endpoint, changes: ParameterChanges): void {
  const { thinking, output_config: config } = request;
  if (body.thinking == null || thinking?.type !== "enabled" || thinking.budget_tokens == null) return;
  const row = reasoningRowOf("anthropic", at.upstreamModel, at.model.id);
  if (row.budget || !row.effort) return;
  const effort = nearestLevel(effortOfBudget(thinking.budget_tokens), row.effort.levels);
  body.thinking = { type: "adaptive" };
  if (effort !== null) body.output_config = { effort, ...config };
  changes.translate("thinking.budget_tokens", "output_config.effort");
}

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
  const user = request.metadata?.user_id ?? request.user;
  const body: Json = {};
  const betas = request.protocolHeaders["anthropic-beta"];
  for (const [name, value] of Object.entries(request)) {
    if (ownFields.has(name) || value == null) continue;
    // Fields of a beta come with its header; without one, Anthropic refuses what it does not know.
    if (betas === undefined && !documentedFields.has(name)) changes.drop(name);
    else body[name] = value;
  }
  for (const name of samplingFields)
    if (name in body && fieldRule(rules, "messages", name)?.support === "unsupported") {
      delete body[name];
      changes.drop(name);
    }
  if (request.thinking?.type === "enabled" && hasUnsignedCalls(messages)) {
    delete body.thinking;
    changes.drop("thinking");
  }
  adaptThinking(body, request, endpoint, changes);
  return {
    ...body,
    model: upstreamModel,
    messages,
    max_tokens: maxTokens ?? request.max_tokens,
    ...(user != null && { metadata: { user_id: user } }),
    ...(stream && { stream }),
  };
}
