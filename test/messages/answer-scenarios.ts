import { type MessageScenario, text, used, weather } from "./scenario.ts";

const call = (id: string, input: string, name = "weather") => ({ id, name, arguments: input });
const stopped = { content: "Hello", finish: "stop" } as const;

/** What providers that only chat answer, as the blocks of a message. */
export const answerScenarios: readonly MessageScenario[] = [
  { name: "a text", request: {}, said: stopped, content: [text("Hello")], stop: "end_turn" },
  {
    name: "an answer that reached its limit",
    request: {},
    said: { ...stopped, finish: "length" },
    stop: "max_tokens",
  },
  {
    name: "an answer that was filtered",
    request: {},
    said: { content: "I", finish: "content_filter" },
    content: [text("I")],
    stop: "refusal",
  },
  {
    name: "a refusal as text",
    request: {},
    said: { refusal: "I cannot.", finish: "stop" },
    content: [text("I cannot.")],
    stop: "end_turn",
  },
  {
    name: "thinking before the text, with a signature",
    request: {},
    said: { reasoning: "Let me think.", ...stopped },
    content: [{ type: "thinking", thinking: "Let me think.", signature: "portolan-unsigned" }, text("Hello")],
    stop: "end_turn",
  },
  {
    name: "a call",
    request: { tools: [weather] },
    said: { calls: [call("call_1", '{"city":"Ghent"}')], finish: "tool_calls" },
    content: [used],
    stop: "tool_use",
  },
  {
    name: "thinking, text and two calls in order",
    request: { tools: [weather] },
    said: {
      reasoning: "Two cities.",
      content: "Let me look.",
      calls: [call("call_1", '{"city":"Ghent"}'), call("call_2", '{"city":"Bruges"}')],
      finish: "tool_calls",
    },
    content: [
      { type: "thinking", thinking: "Two cities.", signature: "portolan-unsigned" },
      text("Let me look."),
      used,
      { type: "tool_use", id: "call_2", name: "weather", input: { city: "Bruges" } },
    ],
    stop: "tool_use",
  },
  {
    name: "calls whose pieces come mixed",
    request: { tools: [weather] },
    said: {
      mixed: true,
      calls: [call("call_1", '{"city":"Ghent"}'), call("call_2", '{"city":"Bruges"}'), call("call_3", "{}")],
      finish: "tool_calls",
    },
    content: [
      used,
      { type: "tool_use", id: "call_2", name: "weather", input: { city: "Bruges" } },
      { type: "tool_use", id: "call_3", name: "weather", input: {} },
    ],
    stop: "tool_use",
  },
  {
    name: "a call without arguments",
    request: { tools: [weather] },
    said: { calls: [call("call_1", "")], finish: "tool_calls" },
    content: [{ type: "tool_use", id: "call_1", name: "weather", input: {} }],
    stop: "tool_use",
  },
  {
    name: "a call where the provider says that it simply stopped",
    request: { tools: [weather] },
    said: { calls: [call("call_1", '{"city":"Ghent"}')], finish: "stop" },
    content: [used],
    stop: "tool_use",
  },
  {
    name: "an id with characters that Anthropic does not know",
    request: { tools: [weather] },
    said: { calls: [call("functions.weather:0", '{"city":"Ghent"}')], finish: "tool_calls" },
    content: [{ ...used, id: "functions_weather_0" }],
    stop: "tool_use",
  },
];
