// What is inside the fields of a request for a response.
import type { Json } from "#test/providers/shape.ts";
import { closed, type Nested, nested, parameters, pdf, pngUrl, wav } from "./nested.ts";

const text = { type: "input_text", text: "Hello" };
const user = { type: "message", role: "user", content: "Hello" };
const next = { type: "message", role: "user", content: "And now?" };
const said = (...parts: readonly unknown[]): Json => ({
  input: [{ type: "message", role: "user", content: [text, ...parts] }],
});
const part = (type: string, name: string) => (value: unknown) =>
  value === undefined ? said() : said({ type, [name]: value });
const of = (name: string, value: unknown): Json => (value === undefined ? {} : { [name]: value });
const turn = (inPart: Json, own: Json = {}): Json => ({
  input: [
    user,
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "Hi", ...inPart }], ...own },
    next,
  ],
});
const weather = { type: "function", name: "weather", description: "Weather", parameters, strict: false };
const tool = (own: Json): Json => ({ tools: [{ type: "function", name: "weather", parameters, ...own }] });
const called = (output: unknown, inCall: Json = {}, inOutput: Json = {}): Json => ({
  input: [
    user,
    { type: "function_call", call_id: "call_1", name: "weather", arguments: '{"city":"Bonn"}', ...inCall },
    { type: "function_call_output", call_id: "call_1", output, ...inOutput },
  ],
  tools: [weather],
});
const custom = { type: "custom", name: "note", description: "Notes" };
const format = (own: Json): Json => ({
  text: { format: { type: "json_schema", name: "answer", schema: closed, ...own } },
});
const file = `data:application/pdf;base64,${pdf}`;
const item = (value: unknown): Json => ({ input: [user, ...(value === undefined ? [] : [value]), next] });

export const responsesNested: readonly Nested[] = [
  nested("input.content (input_text)", "Good morning", (value) =>
    said({ type: "input_text", text: value ?? "Good evening" }),
  ),
  nested("input.content.prompt_cache_breakpoint", { mode: "explicit" }, (value) => ({
    input: [{ ...user, content: [{ ...text, ...of("prompt_cache_breakpoint", value) }] }],
  })),
  nested("input.content.image_url", pngUrl, part("input_image", "image_url")),
  nested(
    "input.content.image_url (address)",
    "https://pictures.example/1.png",
    part("input_image", "image_url"),
  ),
  nested("input.content.detail", "low", (detail) =>
    said({ type: "input_image", image_url: pngUrl, ...of("detail", detail) }),
  ),
  nested("input.content.file_id (of a picture)", "file-1", part("input_image", "file_id")),
  nested("input.content.file_data", file, part("input_file", "file_data")),
  nested("input.content.filename", "invoice.pdf", (filename) =>
    said({ type: "input_file", file_data: file, ...of("filename", filename) }),
  ),
  nested("input.content.file_url", "https://papers.example/1.pdf", part("input_file", "file_url")),
  nested("input.content.file_id", "file-1", part("input_file", "file_id")),
  nested("input.content.input_audio", { data: wav, format: "wav" }, part("input_audio", "input_audio")),
  nested(
    "input.content.annotations",
    [{ type: "url_citation", url: "https://a.example", title: "A", start_index: 0, end_index: 1 }],
    (value) => turn(of("annotations", value)),
  ),
  nested("input.content (refusal)", "I cannot.", (refusal) =>
    refusal === undefined
      ? { input: [user, next] }
      : {
          input: [
            user,
            { type: "message", role: "assistant", content: [{ type: "refusal", refusal }] },
            next,
          ],
        },
  ),
  nested("input.id", "msg_1", (id) => turn({}, of("id", id)), { ours: true }),
  nested("input.status", "completed", (status) => turn({}, of("status", status)), { ours: true }),
  nested("input.phase", "final_answer", (phase) => turn({}, of("phase", phase))),
  nested(
    "input.role (developer)",
    "developer",
    (role) => ({ input: [{ type: "message", role: role ?? "system", content: "Be brief." }, user] }),
    { ours: true },
  ),
  nested("input (last one is the assistant's)", "The answer is", (content) => ({
    input: [user, ...(content ? [{ type: "message", role: "assistant", content }] : [])],
  })),
  nested("input (function_call)", "call_1", (id) => (id ? called("Sunny") : { tools: [weather] })),
  nested(
    "input.output (parts)",
    [{ type: "input_text", text: "Sunny" }],
    (output) => called(output ?? "Sunny"),
    { ours: true },
  ),
  nested("input.output (a picture)", pngUrl, (image_url) =>
    called([
      { type: "input_text", text: "Sunny" },
      ...(image_url ? [{ type: "input_image", image_url }] : []),
    ]),
  ),
  nested("input (custom_tool_call)", "A note", (input) => ({
    input: [
      user,
      ...(input
        ? [
            { type: "custom_tool_call", call_id: "call_1", name: "note", input },
            { type: "custom_tool_call_output", call_id: "call_1", output: "Noted" },
          ]
        : []),
    ],
    tools: [custom],
  })),
  nested(
    "input (reasoning, a text)",
    [{ type: "summary_text", text: "Step 1" }],
    (summary) => ({
      input: [
        user,
        ...(summary ? [{ type: "reasoning", id: "rs_1", summary }] : []),
        { type: "message", role: "assistant", content: "Hi" },
        next,
      ],
    }),
    { alsoNamed: ["input.reasoning"] },
  ),
  nested(
    "input (reasoning, sealed by OpenAI)",
    "c2VhbGVk",
    (seal) => ({
      input: [
        user,
        ...(seal ? [{ type: "reasoning", id: "rs_1", summary: [], encrypted_content: seal }] : []),
        { type: "message", role: "assistant", content: "Hi" },
        next,
      ],
    }),
    { alsoNamed: ["input.reasoning", "input.encrypted_content"] },
  ),
  nested(
    "input (web_search_call)",
    { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "a" } },
    item,
  ),
  nested(
    "input (mcp_call)",
    { type: "mcp_call", id: "mcp_1", server_label: "a", name: "b", arguments: "{}", output: "c" },
    item,
  ),
  nested("tools.description", "What the sky does", (value) => tool(of("description", value))),
  nested("tools.strict", true, (strict) => tool({ parameters: closed, ...of("strict", strict) })),
  nested("tools.x_unknown", "yes", (value) => tool(of("x_unknown", value))),
  nested("tools (custom)", custom, (value) => ({ tools: [weather, ...(value ? [value] : [])] })),
  nested(
    "tools.format (custom, grammar)",
    { type: "grammar", syntax: "regex", definition: "a+" },
    (value) => ({
      tools: [{ ...custom, ...of("format", value) }],
    }),
  ),
  ...["web_search", "file_search", "code_interpreter", "image_generation", "mcp"].map((type) =>
    nested(`tools (${type})`, { type }, (value) => ({ tools: [weather, ...(value ? [value] : [])] })),
  ),
  nested("tool_choice (a function)", { type: "function", name: "weather" }, (value) => ({
    tools: [weather],
    ...of("tool_choice", value),
  })),
  nested("tool_choice (a hosted tool)", { type: "web_search" }, (value) => ({
    tools: [weather],
    ...of("tool_choice", value),
  })),
  nested(
    "tool_choice (allowed_tools)",
    { type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: "weather" }] },
    (value) => ({
      tools: [weather, { ...weather, name: "news" }],
      ...of("tool_choice", value),
    }),
  ),
  nested("text.verbosity", "low", (verbosity) => (verbosity ? { text: { verbosity } } : {}), {
    alsoNamed: ["verbosity"],
  }),
  nested("text.format (json_object)", { type: "json_object" }, (value) => ({
    input: "Give me json",
    ...(value ? { text: { format: value } } : {}),
  })),
  nested("text.format.strict", true, (strict) => format(of("strict", strict)), { ours: true }),
  nested("text.format.description", "The city", (value) => format(of("description", value))),
  nested("text.x_unknown", "yes", (value) => (value ? { text: { x_unknown: value } } : {})),
  nested(
    "reasoning.summary",
    "auto",
    (summary) => ({ reasoning: { effort: "high", ...of("summary", summary) } }),
    { ours: true },
  ),
  nested("reasoning.max_tokens", 2_048, (max_tokens) => (max_tokens ? { reasoning: { max_tokens } } : {})),
  nested("reasoning.enabled", true, (enabled) => (enabled ? { reasoning: { enabled } } : {})),
  nested("reasoning.context", "all_turns", (context) => ({
    reasoning: { effort: "high", ...of("context", context) },
  })),
  nested(
    "include (reasoning.encrypted_content)",
    ["reasoning.encrypted_content"],
    (include) => of("include", include),
    { ours: true },
  ),
  nested("include (web_search_call.action.sources)", ["web_search_call.action.sources"], (include) =>
    of("include", include),
  ),
  nested("stream_options.include_obfuscation", true, (value) => ({
    stream: true,
    stream_options: of("include_obfuscation", value),
  })),
];
