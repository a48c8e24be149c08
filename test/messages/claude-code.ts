// Requests as Claude Code 2.1.197 sends them, recorded at its ANTHROPIC_BASE_URL. Fields, block types, schemas' features
// and sizes are its own; texts, names and ids are replaced. Each text has a mark, `<text 7>`, by which it can be found.

type Json = Record<string, unknown>;

let marks = 0;
/** A text with its own mark and this length. */
export function marked(kind: string, chars: number): string {
  marks++;
  return `<${kind} ${marks}> ${"lorem ".repeat(Math.ceil(chars / 6))}`.slice(0, Math.max(chars, 14));
}

const cached = { cache_control: { type: "ephemeral" } };
const text = (chars: number, more: Json = {}): Json => ({
  type: "text",
  text: marked("text", chars),
  ...more,
});
const string = (more: Json = {}): Json => ({ description: marked("schema", 60), type: "string", ...more });
const integer = { type: "integer", maximum: Number.MAX_SAFE_INTEGER };

/** Schemas with every feature that the recorded tools use. */
const schemas: readonly Json[] = [
  { properties: {} },
  {
    properties: {
      path: string(),
      offset: { ...integer, minimum: 0 },
      limit: { ...integer, exclusiveMinimum: 0 },
    },
    required: ["path"],
  },
  {
    properties: { command: string(), timeout: { type: "number", minimum: 0, default: 30_000 } },
    required: ["command"],
  },
  { properties: { kind: string({ enum: ["one", "two"] }), all: { type: "boolean", default: false } } },
  {
    properties: {
      status: {
        anyOf: [
          { type: "string", enum: ["open", "done"] },
          { type: "string", const: "gone" },
        ],
      },
      labels: { type: "object", propertyNames: { type: "string" }, additionalProperties: {} },
      after: { type: "array", items: { type: "string" } },
    },
  },
  {
    properties: { url: string({ format: "uri" }), query: string({ minLength: 2, maxLength: 200 }) },
    required: ["url"],
  },
  {
    properties: {
      input: { description: marked("schema", 60) },
      run: string({ pattern: "^run_[a-z0-9-]{6,}$" }),
    },
  },
  {
    properties: {
      findings: {
        type: "array",
        maxItems: 32,
        items: {
          type: "object",
          properties: { file: string(), line: { ...integer, minimum: Number.MIN_SAFE_INTEGER } },
          required: ["file"],
          additionalProperties: false,
        },
      },
    },
    required: ["findings"],
  },
];

const toolsOf = (count: number): Json[] =>
  Array.from({ length: count }, (_, at) => ({
    name: `Tool${at}`,
    description: marked("tool", at === 0 ? 18_000 : 900),
    input_schema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      ...schemas[at % schemas.length],
      additionalProperties: false,
    },
  }));

const betas = [
  "claude-code-20250219",
  "interleaved-thinking-2025-05-14",
  "thinking-token-count-2026-05-13",
  "context-management-2025-06-27",
  "prompt-caching-scope-2026-01-05",
  "mid-conversation-system-2026-04-07",
  "effort-2025-11-24",
];
/** The betas without those that CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS switches off. */
const fewBetas = betas.filter((name) => !/token-count|context-management|caching-scope/.test(name));

const attribution = text(74);
const system = [text(62, cached), text(5_600, cached)];
const opening = { role: "user", content: [text(306), text(20)] };
/** The last block of the last message has the mark of the cache. */
const first = { role: "user", content: [text(306), text(20, cached)] };
const instructions = { role: "system", content: marked("text", 6_000) };
const thought = () => ({
  type: "thinking",
  thinking: marked("thinking", 40),
  signature: "portolan-unsigned",
});
const call = (id: string): Json => ({
  type: "tool_use",
  id,
  name: "Tool2",
  input: { command: marked("text", 30) },
});
const user_id = JSON.stringify({ device_id: "0".repeat(64), account_uuid: "", session_id: "1".repeat(36) });

const usual: Json = {
  messages: [first, instructions],
  system: [attribution, ...system],
  tools: toolsOf(24),
  metadata: { user_id },
  max_tokens: 32_000,
  thinking: { type: "adaptive" },
  context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
  output_config: { effort: "high" },
};
const { thinking: _, context_management: __, ...withoutThinking } = usual;

/** Two calls, one of which failed, then one more. */
const loop: readonly Json[] = [
  opening,
  instructions,
  { role: "assistant", content: [thought(), text(20), call("call_1"), call("call_2")] },
  {
    role: "user",
    content: [
      { tool_use_id: "call_1", type: "tool_result", content: marked("text", 20), is_error: false },
      { type: "tool_result", content: marked("text", 60), is_error: true, tool_use_id: "call_2" },
    ],
  },
  { role: "assistant", content: [thought(), call("call_4")] },
  {
    role: "user",
    content: [{ tool_use_id: "call_4", type: "tool_result", content: marked("text", 20), ...cached }],
  },
];

export interface RecordedRequest {
  readonly name: string;
  readonly betas: readonly string[];
  readonly body: Json;
}

export const claudeCodeRequests: readonly RecordedRequest[] = [
  { name: "the first request of a session", betas, body: usual },
  { name: "results of tools", betas, body: { ...usual, messages: loop } },
  {
    name: "a continued session",
    betas,
    body: { ...usual, messages: [opening, instructions, { role: "assistant", content: [text(20)] }, first] },
  },
  {
    name: "a sub-agent",
    betas,
    body: { ...withoutThinking, system: [text(95), ...system], tools: toolsOf(17) },
  },
  {
    name: "with the recommended settings",
    betas: fewBetas,
    body: {
      ...withoutThinking,
      system,
      messages: loop,
      thinking: { type: "adaptive" },
      max_tokens: 8_000,
    },
  },
  {
    name: "a budget for thinking",
    betas: betas.filter((name) => !/mid-conversation|effort/.test(name)),
    body: {
      ...usual,
      messages: [first],
      output_config: undefined,
      thinking: { type: "enabled", budget_tokens: 6_000 },
    },
  },
];

/** The result of a tool that read an image. */
export const claudeCodeImage: RecordedRequest = {
  name: "an image as the result of a tool",
  betas,
  body: {
    ...usual,
    messages: [
      opening,
      instructions,
      { role: "assistant", content: [thought(), call("call_3")] },
      {
        role: "user",
        content: [
          {
            tool_use_id: "call_3",
            type: "tool_result",
            content: [
              { type: "image", source: { type: "base64", data: "iVBORw0KGgo=", media_type: "image/png" } },
            ],
            ...cached,
          },
        ],
      },
    ],
  },
};

/** What Claude Code's tool for searches on the web sends. */
export const claudeCodeSearch: Json = {
  messages: [{ role: "user", content: [text(40)] }],
  system: [attribution, ...system],
  tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 8 }],
  tool_choice: { type: "auto" },
  metadata: { user_id },
  max_tokens: 32_000,
  output_config: { effort: "high" },
};

/** The bodies of its counts, which it sends for the command `/context`. */
export const claudeCodeCounts: readonly Json[] = [
  { messages: [{ role: "user", content: marked("text", 9) }], tools: toolsOf(16) },
  { messages: [{ role: "user", content: marked("text", 5_600) }] },
];
