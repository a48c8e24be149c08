import type Anthropic from "@anthropic-ai/sdk";
import type { Said } from "./chat-upstream.ts";

export type Params = Anthropic.MessageCreateParamsNonStreaming;
type Body = Record<string, unknown>;

/** One request of Anthropic's client, what reaches the provider, and what the client gets. */
export interface MessageScenario {
  readonly name: string;
  readonly request: Partial<Params>;
  readonly said?: Said;
  /** Members of the body that the provider must get. */
  readonly sent?: Body;
  /** Members that the provider must not get. */
  readonly unsent?: readonly string[];
  readonly content?: readonly Body[];
  readonly stop?: Anthropic.StopReason;
}

export const hi: Params["messages"] = [{ role: "user", content: "Hi" }];
export const user = (content: Anthropic.ContentBlockParam[]): Params["messages"] => [
  { role: "user", content },
];
const pixel = "iVBORw0KGgo=";
export const png = { type: "base64", media_type: "image/png", data: pixel } as const;
export const pngPart = { type: "image_url", image_url: { url: `data:image/png;base64,${pixel}` } };
export const weather: Anthropic.Tool = {
  name: "weather",
  description: "Weather of a city",
  input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
export const weatherFunction = {
  type: "function",
  function: { name: "weather", description: "Weather of a city", parameters: weather.input_schema },
};
const ghent = {
  id: "call_1",
  type: "function",
  function: { name: "weather", arguments: '{"city":"Ghent"}' },
};
export const used = { type: "tool_use", id: "call_1", name: "weather", input: { city: "Ghent" } } as const;
export const loop = (
  content: Anthropic.ToolResultBlockParam["content"],
  more: Partial<Anthropic.ToolResultBlockParam> = {},
): Params["messages"] => [
  { role: "user", content: "Weather?" },
  { role: "assistant", content: [{ type: "text", text: "Let me look." }, used] },
  { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content, ...more }] },
];
export const looped = (...after: object[]) => [
  { role: "user", content: "Weather?" },
  { role: "assistant", content: "Let me look.", tool_calls: [ghent] },
  ...after,
];
export const text = (value: string) => ({ type: "text", text: value });

const longName = `mcp__${"a".repeat(90)}__search`;

/** A tool whose name only Anthropic accepts, and how the name begins that others get. */
export const longTool = {
  name: longName,
  shortened: `${longName.slice(0, 55)}_`,
  tool: { ...weather, name: longName },
};
