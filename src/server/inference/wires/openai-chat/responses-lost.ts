import { type EndpointRules, fieldRule } from "#server/catalog/index.ts";
import { type Lost, reportLost } from "#server/inference/parameters/lost.ts";
import { isPacked } from "#server/inference/reasoning/packed.ts";
import { tableOf } from "#server/platform/table.ts";
import type { PreparedResponse } from "../openai-responses/prepared-response.ts";
import { isJson, type Json } from "../shared/json.ts";

const setOf = (...names: readonly string[]): ReadonlySet<string> => new Set(names);

/** The members of each type of part, of item and of tool that chat has a place for. */
const partMembers = tableOf<ReadonlySet<string>>({
  input_text: setOf("type", "text"),
  output_text: setOf("type", "text"),
  refusal: setOf("type", "refusal"),
  input_image: setOf("type", "image_url", "detail"),
  input_file: setOf("type", "file_data", "file_url", "filename"),
  input_audio: setOf("type", "input_audio"),
});
const itemMembers = tableOf<ReadonlySet<string>>({
  message: setOf("type", "role", "content"),
  function_call: setOf("type", "call_id", "name", "arguments"),
  function_call_output: setOf("type", "call_id", "output"),
  custom_tool_call: setOf("type", "call_id", "name", "input"),
  custom_tool_call_output: setOf("type", "call_id", "output"),
  reasoning: setOf("type", "summary", "content", "encrypted_content"),
});
const toolMembers = tableOf<ReadonlySet<string>>({
  function: setOf("type", "name", "description", "parameters", "strict"),
  custom: setOf("type", "name", "description", "format"),
});
const textMembers = setOf("format", "verbosity");
const formatMembers = setOf("type", "name", "schema", "description", "strict");
/** Summaries are made of what the model returns of its reasoning. */
const reasoningMembers = setOf("effort", "max_tokens", "enabled", "exclude", "summary", "generate_summary");
/** What can be included in an answer of chat. */
const includable = setOf("message.output_text.logprobs", "reasoning.encrypted_content");

function reportParts(parts: unknown, path: string, lost: Lost): void {
  for (const part of Array.isArray(parts) ? parts : []) {
    const members = isJson(part) ? partMembers[String(part.type)] : undefined;
    if (members) reportLost(part as Json, members, path, lost);
  }
}

/** Reports what is inside the fields of a request and has no place in chat. */
export function reportLostInChat({ items, tools, text, reasoning, include }: PreparedResponse, lost: Lost) {
  for (const item of items) {
    const members = itemMembers[item.type ?? "message"];
    if (members) reportLost(item, members, "input", lost);
    reportParts(item.content, "input.content", lost);
    reportParts(item.output, "input.output", lost);
    // What another provider has sealed cannot be read.
    const { encrypted_content: sealed } = item;
    if (typeof sealed === "string" && !isPacked(sealed)) lost("input.encrypted_content");
  }
  for (const tool of tools ?? []) {
    const members = toolMembers[tool.type];
    if (members) reportLost(tool, members, "tools", lost);
  }
  if (text != null) reportLost(text, textMembers, "text", lost);
  if (text?.format != null) reportLost(text.format, formatMembers, "text.format", lost);
  if (reasoning != null) reportLost(reasoning, reasoningMembers, "reasoning", lost);
  if (include?.some((name) => !includable.has(name))) lost("include");
}

const noObfuscation = setOf("include_obfuscation");

/** Reports the options of a stream, of which none is sent. */
export function reportStreamOptions({ stream_options: options }: PreparedResponse, lost: Lost): void {
  if (options == null) return;
  if (options.include_obfuscation === true) lost("stream_options.include_obfuscation");
  reportLost(options, noObfuscation, "stream_options", lost);
}

/** `text` with the members that a provider of responses takes. */
export function textFor(text: Json, rules: EndpointRules, lost: Lost): Json {
  const { verbosity, ...rest } = text;
  const takesVerbosity = fieldRule(rules, "responses", "verbosity")?.support !== "unsupported";
  if (verbosity != null && !takesVerbosity) lost("text.verbosity");
  const taken = takesVerbosity && verbosity != null ? { ...rest, verbosity } : rest;
  if (rules.unknownFields === "ignored") return taken;
  reportLost(taken, textMembers, "text", lost);
  return Object.fromEntries(Object.entries(taken).filter(([name]) => textMembers.has(name)));
}
