import {
  hi,
  loop,
  looped,
  type MessageScenario,
  png,
  pngPart,
  text,
  weather,
  weatherFunction,
} from "./scenario.ts";

/** How tools and their results reach a provider that only chats. */
export const toolScenarios: readonly MessageScenario[] = [
  {
    name: "tools",
    request: { tools: [weather] },
    sent: { tools: [weatherFunction] },
    unsent: ["tool_choice"],
  },
  {
    name: "a strict tool",
    request: { tools: [{ ...weather, strict: true }] },
    sent: { tools: [{ type: "function", function: { ...weatherFunction.function, strict: true } }] },
  },
  {
    name: "tool_choice auto",
    request: { tools: [weather], tool_choice: { type: "auto" } },
    sent: { tool_choice: "auto" },
  },
  {
    name: "tool_choice any is required",
    request: { tools: [weather], tool_choice: { type: "any" } },
    sent: { tool_choice: "required" },
  },
  {
    name: "tool_choice none",
    request: { tools: [weather], tool_choice: { type: "none" } },
    sent: { tool_choice: "none" },
  },
  {
    name: "tool_choice tool names the function",
    request: { tools: [weather], tool_choice: { type: "tool", name: "weather" } },
    sent: { tool_choice: { type: "function", function: { name: "weather" } } },
  },
  {
    name: "one call at a time",
    request: { tools: [weather], tool_choice: { type: "auto", disable_parallel_tool_use: true } },
    sent: { parallel_tool_calls: false },
  },
  {
    name: "the result of a tool as text",
    request: { messages: loop("grey"), tools: [weather] },
    sent: { messages: looped({ role: "tool", tool_call_id: "call_1", content: "grey" }) },
  },
  {
    name: "the result of a tool as blocks",
    request: { messages: loop([{ type: "text", text: "grey" }]), tools: [weather] },
    sent: { messages: looped({ role: "tool", tool_call_id: "call_1", content: "grey" }) },
  },
  {
    name: "the error of a tool",
    request: { messages: loop("no such city", { is_error: true }), tools: [weather] },
    sent: { messages: looped({ role: "tool", tool_call_id: "call_1", content: "Error: no such city" }) },
  },
  {
    name: "an empty result of a tool",
    request: { messages: loop(undefined), tools: [weather] },
    sent: { messages: looped({ role: "tool", tool_call_id: "call_1", content: "" }) },
  },
  {
    name: "an image in a tool's result as the user's",
    request: {
      messages: loop([
        { type: "text", text: "see" },
        { type: "image", source: png },
      ]),
      tools: [weather],
    },
    sent: {
      messages: looped(
        { role: "tool", tool_call_id: "call_1", content: "see" },
        { role: "user", content: [text("Attached to the result of the tool call call_1:"), pngPart] },
      ),
    },
  },
  {
    name: "results of tools before the words of the same turn",
    request: {
      messages: [
        ...loop("grey").slice(0, 2),
        {
          role: "user",
          content: [
            { type: "text", text: "And now?" },
            { type: "tool_result", tool_use_id: "call_1", content: "grey" },
          ],
        },
      ],
      tools: [weather],
    },
    sent: {
      messages: looped(
        { role: "tool", tool_call_id: "call_1", content: "grey" },
        { role: "user", content: "And now?" },
      ),
    },
  },
  {
    name: "thinking of an earlier turn as its reasoning",
    request: {
      messages: [
        ...hi,
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "Hm.", signature: "portolan-unsigned" },
            { type: "text", text: "Yes?" },
          ],
        },
        { role: "user", content: "Go on." },
      ],
    },
    sent: {
      messages: [
        { role: "user", content: "Hi" },
        { role: "assistant", content: "Yes?", reasoning: "Hm.", reasoning_content: "Hm." },
        { role: "user", content: "Go on." },
      ],
    },
  },
];
