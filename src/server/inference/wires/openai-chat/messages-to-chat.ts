import type { ChatMessage, ChatRequest, ChatTool } from "#contract/chat.ts";
import { isOwnTool, type MessageParam, type MessageTool } from "#contract/message-blocks.ts";
import type { MessagesRequest } from "#contract/messages.ts";
import { sha256 } from "#server/platform/crypto.ts";
import type { PreparedMessages } from "../anthropic-messages/prepared-messages.ts";
import { chatToolName } from "../anthropic-messages/tool-names.ts";
import { isJson, type Json } from "../shared/json.ts";
import { assistantMessage, partsOf, unsupportedBlock, userMessages } from "./message-blocks-to-chat.ts";

function chatMessages({ role, content }: MessageParam): ChatMessage[] {
  if (typeof content === "string") return [{ role, content }];
  if (role !== "assistant") return userMessages(role, content);
  const message = assistantMessage(content);
  return message ? [message] : [];
}

function systemMessages(system: MessagesRequest["system"]): ChatMessage[] {
  if (!system?.length) return [];
  return [{ role: "system", content: typeof system === "string" ? system : [...(partsOf(system) ?? [])] }];
}

const chatTool = ({
  name,
  description,
  input_schema: parameters,
  strict,
  cache_control: control,
}: MessageTool): ChatTool => ({
  ...(isJson(control) && { cache_control: control }),
  type: "function",
  function: {
    name: chatToolName(name ?? ""),
    parameters: parameters ?? {},
    ...(description != null && { description }),
    ...(strict != null && { strict }),
  },
});

const choices: Readonly<Record<string, string>> = { auto: "auto", any: "required", none: "none" };
const choiceTypes: ReadonlySet<string> = new Set([...Object.keys(choices), "tool"]);

function chatTools({
  tools,
  tool_choice: choice,
}: MessagesRequest): Pick<ChatRequest, "tools" | "tool_choice" | "parallel_tool_calls"> {
  if (!tools?.length) return {};
  const named = choice?.type === "tool" && choice.name != null;
  const wanted = named
    ? { type: "function", function: { name: chatToolName(choice.name ?? "") } }
    : choices[choice?.type ?? ""];
  return {
    tools: tools.map(chatTool),
    ...(wanted !== undefined && { tool_choice: wanted }),
    ...(choice?.disable_parallel_tool_use != null && {
      parallel_tool_calls: !choice.disable_parallel_tool_use,
    }),
  };
}

/** Budgets of thinking tokens up to which an effort is meant. */
const efforts = [
  { tokensMax: 2_048, effort: "low" },
  { tokensMax: 8_192, effort: "medium" },
] as const;

/** The effort that a request asks for; undefined leaves it to the model. */
function effortOf({ thinking, output_config: config }: MessagesRequest): ChatRequest["reasoning_effort"] {
  if (thinking?.type === "disabled") return "none";
  if (config?.effort) return config.effort;
  const budget = thinking?.type === "enabled" ? thinking.budget_tokens : null;
  if (budget == null) return undefined;
  return efforts.find(({ tokensMax }) => budget <= tokensMax)?.effort ?? "high";
}

/** The longest name of a user that OpenAI accepts. */
const userCharsMax = 64;

/** A longer name of a user is sent as its digest of the same length, which stays the same. */
const chatUser = (user: string): string =>
  user.length <= userCharsMax ? user : Buffer.from(sha256(user), "base64url").toString("hex");

/** Anthropic's tiers, which mean what other providers do without a tier. */
const ordinaryTiers = new Set(["auto", "standard_only"]);

/** A request for a message as a request for a chat completion. Of what `nativeOnly` names, nothing is sent. */
export function chatRequestOf(request: MessagesRequest): ChatRequest {
  const { system, messages, output_config: config, service_tier: tier, user, stop_sequences: stop } = request;
  const effort = effortOf(request);
  const format = config?.format;
  return {
    messages: [...systemMessages(system), ...messages.flatMap(chatMessages)],
    max_tokens: request.max_tokens,
    temperature: request.temperature,
    top_p: request.top_p,
    top_k: request.top_k,
    ...(stop?.length && { stop }),
    ...chatTools(request),
    ...(effort && { reasoning_effort: effort }),
    ...(format && {
      response_format: {
        type: "json_schema",
        json_schema: { name: "answer", schema: format.schema, strict: true } satisfies Json,
      },
    }),
    ...(user != null && { user: chatUser(user) }),
    ...(tier != null && !ordinaryTiers.has(tier) && { service_tier: tier }),
  };
}

const repair =
  "use text, images, documents and your own tools, or a model that is served with Anthropic's API";

/**
 * Fields of a request that only Anthropic's API has, and that change the answer, its price or where it is computed.
 * `global` and `standard` are what applies without the field.
 */
const nativeFields: readonly (readonly [name: string, isUsed: (value: unknown) => boolean])[] = [
  ["mcp_servers", () => true],
  ["container", () => true],
  ["inference_geo", (value) => value !== "global"],
  ["speed", (value) => value !== "standard"],
];

/** The first part of a request that chat does not support, and what to send instead; null if there is none. */
export function nativeOnly(request: MessagesRequest): PreparedMessages["nativeOnly"] {
  const tool = (request.tools ?? []).findIndex(({ type }) => !isOwnTool(type));
  if (tool !== -1) return { param: `tools.${tool}.type`, repair };
  for (const [at, { content }] of request.messages.entries()) {
    const path = typeof content === "string" ? null : unsupportedBlock(content);
    if (path !== null) return { param: `messages.${at}.content.${path}.type`, repair };
  }
  if (request.tool_choice && !choiceTypes.has(request.tool_choice.type))
    return { param: "tool_choice.type", repair: "use auto, any, none or tool" };
  const field = nativeFields.find(([name, isUsed]) => request[name] != null && isUsed(request[name]));
  return field ? { param: field[0], repair } : null;
}
