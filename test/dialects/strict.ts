import type { Body } from "./dialect.ts";

// What strict providers take in messages, and nothing beside it: written after their public references.

type Json = Record<string, unknown>;
/** The members of an object: each with how its value is checked, null for a value of any kind. */
interface Shape {
  readonly [name: string]: Check | null;
}
type Check = (value: unknown, path: string) => string | null;

const first = (problems: Iterable<string | null>): string | null => {
  for (const problem of problems) if (problem !== null) return problem;
  return null;
};

const object =
  (shape: Shape): Check =>
  (value, path) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return `${path} is no object`;
    return first(
      Object.entries(value as Json).map(([name, inner]) => {
        const at = `${path}.${name}`;
        if (!(name in shape)) return `${at} is not known`;
        if (inner === null && name !== "content") return `${at} is null`;
        return shape[name]?.(inner, at) ?? null;
      }),
    );
  };
const list =
  (check: Check): Check =>
  (value, path) =>
    Array.isArray(value) ? first(value.map((one, at) => check(one, `${path}[${at}]`))) : null;

/** A text, or a list of parts. */
const textOr =
  (part: Check): Check =>
  (value, path) =>
    typeof value === "string" || value === null ? null : list(part)(value, path);

const call = object({ id: null, type: null, function: object({ name: null, arguments: null }) });
const part = object({ type: null, text: null, image_url: null, input_audio: null, file: null });

const openAiMessages = (own: Shape): Check =>
  list(
    object({
      role: null,
      content: textOr(part),
      name: null,
      tool_calls: list(call),
      tool_call_id: null,
      ...own,
    }),
  );

/** Messages an assistant's turn may not be: neither words nor calls. */
const notEmpty: Check = (messages, path) =>
  first(
    (Array.isArray(messages) ? messages : []).map(({ role, content, tool_calls: calls }, at) =>
      role === "assistant" && !calls && (content === null || content === undefined)
        ? `${path}[${at}] is empty`
        : null,
    ),
  );

const both =
  (...checks: readonly Check[]): Check =>
  (value, path) =>
    first(checks.map((check) => check(value, path)));

const anthropicBlock = object({
  type: null,
  text: null,
  thinking: null,
  signature: null,
  id: null,
  name: null,
  input: null,
  tool_use_id: null,
  content: null,
  is_error: null,
  cache_control: null,
  source: null,
});
const filled =
  (name: string): Check =>
  (turns, path) =>
    first(
      (Array.isArray(turns) ? turns : []).map((turn: Json, at) =>
        Array.isArray(turn[name]) && turn[name].length > 0 ? null : `${path}[${at}].${name} is empty`,
      ),
    );

/** By the provider's slug in the shipped catalogue, and then by kind: where its turns stand, and what they may be. */
export const strictTurns: Readonly<Record<string, { readonly at: string; readonly check: Check }>> = {
  openai: {
    at: "messages",
    check: both(openAiMessages({ refusal: null, audio: null, function_call: null }), notEmpty),
  },
  groq: { at: "messages", check: both(openAiMessages({ function_call: null }), notEmpty) },
  cerebras: { at: "messages", check: both(openAiMessages({ reasoning: null }), notEmpty) },
  fireworks: { at: "messages", check: both(openAiMessages({ function_call: null }), notEmpty) },
  azure: {
    at: "messages",
    check: both(openAiMessages({ refusal: null, audio: null, function_call: null }), notEmpty),
  },
  mistral: {
    at: "messages",
    check: both(
      list(
        object({
          role: null,
          content: textOr(part),
          tool_calls: list(call),
          prefix: null,
          tool_call_id: null,
          name: null,
        }),
      ),
      notEmpty,
    ),
  },
  anthropic: {
    at: "messages",
    check: both(list(object({ role: null, content: textOr(anthropicBlock) })), filled("content")),
  },
  google: {
    at: "contents",
    check: both(
      list(
        object({
          role: null,
          parts: list(
            object({
              text: null,
              thought: null,
              thoughtSignature: null,
              functionCall: null,
              functionResponse: null,
              inlineData: null,
            }),
          ),
        }),
      ),
      filled("parts"),
    ),
  },
  bedrock: {
    at: "messages",
    check: both(
      list(
        object({
          role: null,
          content: list(
            object({ text: null, toolUse: null, cachePoint: null, toolResult: null, reasoningContent: null }),
          ),
        }),
      ),
      filled("content"),
    ),
  },
};

/** What a strict provider would refuse in a request; null when it takes it. */
export function refusedBy(provider: string, body: Body): string | null {
  const strict = strictTurns[provider];
  if (!strict) throw new Error(`${provider} is not among the strict ones`);
  return strict.check((body as Json)[strict.at], strict.at);
}
