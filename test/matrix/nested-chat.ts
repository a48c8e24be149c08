// What is inside the fields of a chat request.
import type { Json } from "#test/providers/shape.ts";
import { closed, mp4Url, type Nested, nested, parameters, pdf, pngUrl, wav } from "./nested.ts";

const user = { role: "user", content: "Hello" };
const said = (...parts: readonly unknown[]): Json => ({
  messages: [{ role: "user", content: [{ type: "text", text: "Hello" }, ...parts] }],
});
const part = (type: string, own: (value: unknown) => unknown) => (value: unknown) =>
  value === undefined ? said() : said({ type, ...(own(value) as object) });
const turn = (own: Json, before: readonly Json[] = [user]): Json => ({
  messages: [...before, { role: "assistant", content: "Hi", ...own }, { role: "user", content: "And now?" }],
});
const inTurn = (name: string) => (value: unknown) => turn(value === undefined ? {} : { [name]: value });

const weather = { type: "function", function: { name: "weather", description: "Weather", parameters } };
const tool = (own: Json, inFunction: Json = {}): Json => ({
  tools: [{ type: "function", ...own, function: { name: "weather", parameters, ...inFunction } }],
});
const call = (id: string, name = "weather"): Json => ({
  role: "assistant",
  content: null,
  tool_calls: [{ id, type: "function", function: { name, arguments: '{"city":"Bonn"}' } }],
});
const called = (content: unknown): Json => ({
  messages: [user, call("call_1"), { role: "tool", tool_call_id: "call_1", content }],
  tools: [weather],
});
const format = (own: Json): Json => ({
  response_format: { type: "json_schema", json_schema: { name: "answer", schema: closed, ...own } },
});
const claude = "anthropic-claude-v1";
const cache_control = { type: "ephemeral" };

/** What routes a request to the one endpoint that there is. */
const routing: Json = {
  order: ["theirs"],
  only: ["theirs"],
  ignore: ["others"],
  allow_fallbacks: false,
  sort: "price",
  require_parameters: true,
  data_collection: "allow",
  zdr: false,
};

export const chatNested: readonly Nested[] = [
  nested("messages.content.text", "Good morning", (text) =>
    said({ type: "text", text: text ?? "Good evening" }),
  ),
  nested("messages.content.cache_control", cache_control, (mark) => ({
    messages: [
      { role: "user", content: [{ type: "text", text: "Hello", ...(mark ? { cache_control: mark } : {}) }] },
    ],
  })),
  nested(
    "messages.content.image_url",
    { url: pngUrl },
    part("image_url", (image_url) => ({ image_url })),
  ),
  nested(
    "messages.content.image_url (address)",
    { url: "https://pictures.example/1.png" },
    part("image_url", (image_url) => ({ image_url })),
  ),
  nested("messages.content.image_url.detail", "low", (detail) =>
    said({ type: "image_url", image_url: { url: pngUrl, ...(detail ? { detail } : {}) } }),
  ),
  nested(
    "messages.content.input_audio",
    { data: wav, format: "wav" },
    part("input_audio", (input_audio) => ({ input_audio })),
  ),
  nested(
    "messages.content.file",
    { filename: "a.pdf", file_data: `data:application/pdf;base64,${pdf}` },
    part("file", (file) => ({ file })),
  ),
  nested("messages.content.file.filename", "invoice.pdf", (filename) =>
    said({
      type: "file",
      file: { ...(filename ? { filename } : {}), file_data: `data:application/pdf;base64,${pdf}` },
    }),
  ),
  nested(
    "messages.content.file.file_id",
    { file_id: "file-1" },
    part("file", (file) => ({ file })),
  ),
  nested(
    "messages.content.video_url",
    { url: mp4Url },
    part("video_url", (video_url) => ({ video_url })),
  ),
  nested("messages.content.x_unknown", "yes", (value) => ({
    messages: [
      { role: "user", content: [{ type: "text", text: "Hello", ...(value ? { x_unknown: value } : {}) }] },
    ],
  })),
  nested("messages.x_unknown", "yes", (value) => ({
    messages: [{ ...user, ...(value ? { x_unknown: value } : {}) }],
  })),
  nested("messages.name", "ada", (name) => ({ messages: [{ ...user, ...(name ? { name } : {}) }] })),
  nested(
    "messages.role (developer)",
    "developer",
    (role) => ({ messages: [{ role: role ?? "system", content: "Be brief." }, user] }),
    { ours: true },
  ),
  nested("messages (last one is the assistant's)", "The answer is", (content) => ({
    messages: content ? [user, { role: "assistant", content }] : [user],
  })),
  nested("messages.tool_calls", "call_1", (id) => (id ? called("Sunny") : { tools: [weather] })),
  nested("messages.tool_calls.x_unknown", "yes", (value) => ({
    messages: [
      user,
      {
        ...call("call_1"),
        tool_calls: [{ ...(call("call_1").tool_calls as Json[])[0], ...(value ? { x_unknown: value } : {}) }],
      },
      { role: "tool", tool_call_id: "call_1", content: "Sunny" },
    ],
    tools: [weather],
  })),
  nested(
    "messages.content (parts of a tool's result)",
    [{ type: "text", text: "Sunny" }],
    (content) => called(content ?? "Sunny"),
    { ours: true },
  ),
  nested("messages.content.image_url (in a tool's result)", { url: pngUrl }, (image_url) =>
    called([{ type: "text", text: "Sunny" }, ...(image_url ? [{ type: "image_url", image_url }] : [])]),
  ),
  nested("messages.content.cache_control (in a tool's result)", cache_control, (mark) =>
    called([{ type: "text", text: "Sunny", ...(mark ? { cache_control: mark } : {}) }]),
  ),
  nested("messages.content.cache_control (in instructions)", cache_control, (mark) => ({
    messages: [
      {
        role: "system",
        content: [{ type: "text", text: "Be brief.", ...(mark ? { cache_control: mark } : {}) }],
      },
      user,
    ],
  })),
  nested("messages.content.cache_control (in an answer)", cache_control, (mark) =>
    turn({ content: [{ type: "text", text: "Hi", ...(mark ? { cache_control: mark } : {}) }] }),
  ),
  nested("messages.refusal", "I cannot.", (refusal) =>
    turn({ content: null, ...(refusal ? { refusal } : { content: "" }) }),
  ),
  nested("messages.refusal (beside content)", "I cannot.", inTurn("refusal")),
  nested(
    "messages.annotations",
    [
      {
        type: "url_citation",
        url_citation: { url: "https://a.example", title: "A", start_index: 0, end_index: 1 },
      },
    ],
    inTurn("annotations"),
  ),
  nested("messages.audio", { id: "audio_1" }, inTurn("audio")),
  nested("messages.reasoning", "Step 1", inTurn("reasoning")),
  nested("messages.reasoning_content", "Step 1", inTurn("reasoning_content"), {
    alsoNamed: ["messages.reasoning"],
  }),
  nested(
    "messages.reasoning_details",
    [{ type: "reasoning.text", text: "Step 1", signature: "c2lnbmVk", format: claude, index: 0 }],
    inTurn("reasoning_details"),
  ),
  nested("tools.function.description", "What the sky does", (description) =>
    tool({}, description ? { description } : {}),
  ),
  nested(
    "tools.function.strict",
    true,
    (strict) => tool({}, { parameters: closed, ...(strict ? { strict } : {}) }),
    {
      alsoNamed: ["tools.strict"],
    },
  ),
  nested("tools.function.x_unknown", "yes", (value) => tool({}, value ? { x_unknown: value } : {})),
  nested("tools.cache_control", cache_control, (mark) => tool(mark ? { cache_control: mark } : {})),
  nested("tools (custom)", { type: "custom", custom: { name: "note", description: "Notes" } }, (custom) => ({
    tools: [weather, ...(custom ? [custom] : [])],
  })),
  nested("tools (web_search)", { type: "web_search" }, (search) => ({
    tools: [weather, ...(search ? [search] : [])],
  })),
  nested("tool_choice (a function)", { type: "function", function: { name: "weather" } }, (tool_choice) => ({
    tools: [weather],
    ...(tool_choice ? { tool_choice } : {}),
  })),
  nested(
    "tool_choice (allowed_tools)",
    {
      type: "allowed_tools",
      allowed_tools: { mode: "auto", tools: [{ type: "function", function: { name: "weather" } }] },
    },
    (tool_choice) => ({ tools: [weather], ...(tool_choice ? { tool_choice } : {}) }),
  ),
  nested("tool_choice (none)", "none", (tool_choice) => ({
    tools: [weather],
    ...(tool_choice ? { tool_choice } : {}),
  })),
  nested("response_format (json_object)", { type: "json_object" }, (response_format) => ({
    messages: [{ role: "user", content: "Give me json" }],
    ...(response_format ? { response_format } : {}),
  })),
  nested("response_format.json_schema.strict", true, (strict) => format(strict ? { strict } : {}), {
    ours: true,
  }),
  nested("response_format.json_schema.description", "The city", (description) =>
    format(description ? { description } : {}),
  ),
  nested("response_format.json_schema.x_unknown", "yes", (value) =>
    format(value ? { x_unknown: value } : {}),
  ),
  nested(
    "stream_options.include_usage",
    false,
    (value) => ({ stream: true, stream_options: value === undefined ? {} : { include_usage: value } }),
    { ours: true },
  ),
  nested("stream_options.include_obfuscation", true, (value) => ({
    stream: true,
    stream_options: value ? { include_obfuscation: value } : {},
  })),
  nested("reasoning.max_tokens", 2_048, (max_tokens) => (max_tokens ? { reasoning: { max_tokens } } : {})),
  nested("reasoning.enabled", true, (enabled) => (enabled ? { reasoning: { enabled } } : {})),
  nested(
    "reasoning.exclude",
    true,
    (exclude) => ({ reasoning: { effort: "high", ...(exclude ? { exclude } : {}) } }),
    { ours: true },
  ),
  nested("reasoning.x_unknown", "yes", (value) => ({
    reasoning: { effort: "high", ...(value ? { x_unknown: value } : {}) },
  })),
  ...Object.entries(routing).map(([name, given]) =>
    nested(
      `provider.${name}`,
      given,
      (value) => (value === undefined ? {} : { provider: { [name]: value } }),
      {
        ours: true,
      },
    ),
  ),
];
