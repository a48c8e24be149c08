// What is inside the fields of a request for a message of Anthropic's API.
import type { Json } from "#test/providers/shape.ts";
import { closed, type Nested, nested, parameters, pdf, png } from "./nested.ts";

const text = { type: "text", text: "Hello" };
const user = { role: "user", content: "Hello" };
const next = { role: "user", content: "And now?" };
const cache_control = { type: "ephemeral" };
const of = (name: string, value: unknown): Json => (value === undefined ? {} : { [name]: value });
const said = (...blocks: readonly unknown[]): Json => ({
  messages: [{ role: "user", content: [text, ...blocks] }],
});
const block = (value: unknown): Json => (value === undefined ? said() : said(value));
const turn = (...blocks: readonly unknown[]): Json => ({
  messages: [user, { role: "assistant", content: [...blocks, { type: "text", text: "Hi" }] }, next],
});
const inTurn = (value: unknown): Json => (value === undefined ? turn() : turn(value));
const weather = { name: "weather", description: "Weather", input_schema: parameters };
const tool = (own: Json): Json => ({ tools: [{ name: "weather", input_schema: closed, ...own }] });
const called = (content: unknown, inResult: Json = {}, inCall: Json = {}): Json => ({
  messages: [
    user,
    {
      role: "assistant",
      content: [{ type: "tool_use", id: "toolu_1", name: "weather", input: { city: "Bonn" }, ...inCall }],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content, ...inResult }] },
  ],
  tools: [weather],
});
const image = { type: "image", source: { type: "base64", media_type: "image/png", data: png } };
const source = { type: "base64", media_type: "application/pdf", data: pdf };
const document = (own: Json): Json => said({ type: "document", source, ...own });
const results = [
  { type: "web_search_result", url: "https://a.example", title: "A", encrypted_content: "c2VhbGVk" },
];

export const messagesNested: readonly Nested[] = [
  nested("messages.content (text)", "Good morning", (value) =>
    said({ type: "text", text: value ?? "Good evening" }),
  ),
  nested("messages.content.cache_control", cache_control, (mark) => ({
    messages: [{ role: "user", content: [{ ...text, ...of("cache_control", mark) }] }],
  })),
  nested("messages.content.cache_control (of a picture)", cache_control, (mark) =>
    said({ ...image, ...of("cache_control", mark) }),
  ),
  nested("messages.content.cache_control (of a tool_result)", cache_control, (mark) =>
    called("Sunny", of("cache_control", mark)),
  ),
  nested("messages.content.cache_control (of a tool_use)", cache_control, (mark) =>
    called("Sunny", {}, of("cache_control", mark)),
  ),
  nested("messages.content.cache_control (in an answer)", cache_control, (mark) => ({
    messages: [
      user,
      { role: "assistant", content: [{ type: "text", text: "Hi", ...of("cache_control", mark) }] },
      next,
    ],
  })),
  nested("messages.content (image)", image, block),
  nested(
    "messages.content (image, an address)",
    { type: "image", source: { type: "url", url: "https://pictures.example/1.png" } },
    block,
  ),
  nested(
    "messages.content (image, file_id)",
    { type: "image", source: { type: "file", file_id: "file_1" } },
    block,
  ),
  nested("messages.content (document)", { type: "document", source }, block),
  nested(
    "messages.content (document, an address)",
    { type: "document", source: { type: "url", url: "https://papers.example/1.pdf" } },
    block,
  ),
  nested(
    "messages.content (document, a text)",
    { type: "document", source: { type: "text", media_type: "text/plain", data: "Words" } },
    block,
  ),
  nested(
    "messages.content (document, blocks)",
    { type: "document", source: { type: "content", content: [{ type: "text", text: "Words" }] } },
    block,
  ),
  nested(
    "messages.content (document, file_id)",
    { type: "document", source: { type: "file", file_id: "file_1" } },
    block,
  ),
  nested("messages.content.title", "Invoice", (title) => document(of("title", title))),
  nested("messages.content.context", "From March", (context) => document(of("context", context))),
  nested("messages.content.citations (wanted)", { enabled: true }, (citations) =>
    document(of("citations", citations)),
  ),
  nested(
    "messages.content.citations (of a text)",
    [
      {
        type: "char_location",
        cited_text: "Words",
        document_index: 0,
        document_title: null,
        start_char_index: 0,
        end_char_index: 5,
      },
    ],
    (citations) => ({
      messages: [
        user,
        { role: "assistant", content: [{ type: "text", text: "Hi", ...of("citations", citations) }] },
        next,
      ],
    }),
  ),
  nested(
    "messages.content (search_result)",
    {
      type: "search_result",
      source: "https://a.example",
      title: "A",
      content: [{ type: "text", text: "Words" }],
    },
    block,
  ),
  nested(
    "messages.content (thinking)",
    { type: "thinking", thinking: "Step 1", signature: "c2lnbmVk" },
    inTurn,
    { alsoNamed: ["messages.reasoning", "messages.reasoning_details", "messages.thinking"] },
  ),
  nested(
    "messages.content (thinking, not signed)",
    { type: "thinking", thinking: "Step 1", signature: "" },
    inTurn,
    { alsoNamed: ["messages.reasoning", "messages.thinking"] },
  ),
  nested("messages.content (redacted_thinking)", { type: "redacted_thinking", data: "c2VhbGVk" }, inTurn, {
    alsoNamed: ["messages.reasoning_details", "messages.redacted_thinking"],
  }),
  nested("messages.content (tool_use)", "toolu_1", (id) => (id ? called("Sunny") : { tools: [weather] })),
  nested(
    "messages.content.content (blocks of a result)",
    [{ type: "text", text: "Sunny" }],
    (content) => called(content ?? "Sunny"),
    { ours: true },
  ),
  nested("messages.content.content (a picture in a result)", image, (value) =>
    called([{ type: "text", text: "Sunny" }, ...(value ? [value] : [])]),
  ),
  nested("messages.content.is_error", true, (is_error) => called("Sunny", of("is_error", is_error))),
  nested("messages.content (server_tool_use)", results, (content) =>
    content
      ? turn(
          { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "a" } },
          { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content },
        )
      : turn(),
  ),
  nested("messages.content (container_upload)", { type: "container_upload", file_id: "file_1" }, block),
  nested("messages.content.x_unknown", "yes", (value) => ({
    messages: [{ role: "user", content: [{ ...text, ...of("x_unknown", value) }] }],
  })),
  nested("messages.x_unknown", "yes", (value) => ({ messages: [{ ...user, ...of("x_unknown", value) }] })),
  nested("messages.role (system)", "Be brief.", (content) => ({
    messages: [user, ...(content ? [{ role: "system", content }] : []), ...(content ? [next] : [next])],
  })),
  nested("messages (last one is the assistant's)", "The answer is", (content) => ({
    messages: [user, ...(content ? [{ role: "assistant", content }] : [])],
  })),
  nested(
    "system (blocks)",
    [{ type: "text", text: "Be brief." }],
    (system) => ({ system: system ?? "Be brief." }),
    { ours: true },
  ),
  nested("system.cache_control", cache_control, (mark) => ({
    system: [{ type: "text", text: "Be brief.", ...of("cache_control", mark) }],
  })),
  nested("tools.description", "What the sky does", (value) => tool(of("description", value))),
  nested("tools.strict", true, (strict) => tool(of("strict", strict))),
  nested("tools.cache_control", cache_control, (mark) => tool(of("cache_control", mark))),
  nested("tools.defer_loading", true, (value) => ({
    tools: [weather, { ...weather, name: "news", ...of("defer_loading", value) }],
  })),
  nested("tools.input_examples", [{ city: "Bonn" }], (value) => tool(of("input_examples", value))),
  nested("tools.eager_input_streaming", true, (value) => tool(of("eager_input_streaming", value))),
  nested("tools (web_search)", { type: "web_search_20250305", name: "web_search" }, (value) => ({
    tools: [weather, ...(value ? [value] : [])],
  })),
  nested("tools (bash)", { type: "bash_20250124", name: "bash" }, (value) => ({
    tools: [weather, ...(value ? [value] : [])],
  })),
  nested("tool_choice (a tool)", { type: "tool", name: "weather" }, (value) => ({
    tools: [weather],
    ...of("tool_choice", value),
  })),
  nested("tool_choice (none)", { type: "none" }, (value) => ({
    tools: [weather],
    ...of("tool_choice", value),
  })),
  nested(
    "tool_choice.disable_parallel_tool_use",
    true,
    (value) => ({
      tools: [weather],
      tool_choice: { type: "auto", ...of("disable_parallel_tool_use", value) },
    }),
    { alsoNamed: ["parallel_tool_calls"] },
  ),
  nested("thinking (adaptive)", { type: "adaptive" }, (thinking) => of("thinking", thinking), {
    alsoNamed: ["reasoning"],
  }),
  nested("thinking (disabled)", { type: "disabled" }, (thinking) => of("thinking", thinking), {
    alsoNamed: ["reasoning", "reasoning_effort"],
    ours: true,
  }),
  nested("thinking.display", "omitted", (display) => ({
    thinking: { type: "enabled", budget_tokens: 2_048, ...of("display", display) },
  })),
  nested("output_config.effort", "low", (effort) => (effort ? { output_config: { effort } } : {}), {
    alsoNamed: ["reasoning_effort", "reasoning"],
  }),
  nested("output_config.task_budget", { type: "tokens", total: 30_000 }, (value) =>
    value ? { output_config: { task_budget: value } } : {},
  ),
  nested("mcp_servers", [{ type: "url", url: "https://mcp.example", name: "a" }], (value) =>
    of("mcp_servers", value),
  ),
  nested("container", "container_1", (value) => of("container", value)),
  nested("context_management", { edits: [] }, (value) => of("context_management", value)),
  nested("cache_control", cache_control, (value) => of("cache_control", value)),
  nested("inference_geo", "eu", (value) => of("inference_geo", value)),
  nested("speed", "fast", (value) => of("speed", value)),
];
