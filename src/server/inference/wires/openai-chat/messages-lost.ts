import type { MessagesRequest } from "#contract/messages.ts";
import { type Lost, reportLost } from "#server/inference/parameters/lost.ts";
import { tableOf } from "#server/platform/table.ts";
import { isJson, type Json } from "../shared/json.ts";

const setOf = (...names: readonly string[]): ReadonlySet<string> => new Set(names);

/** The members of each type of block that chat has a place for, marks for prompt caching included. */
const blockMembers = tableOf<ReadonlySet<string>>({
  text: setOf("type", "text", "cache_control"),
  image: setOf("type", "source", "cache_control"),
  document: setOf("type", "source", "title", "context", "cache_control"),
  search_result: setOf("type", "source", "title", "content", "cache_control"),
  tool_use: setOf("type", "name", "input", "cache_control"),
  tool_result: setOf("type", "tool_use_id", "content", "is_error", "cache_control"),
  thinking: setOf("type", "thinking", "signature"),
  redacted_thinking: setOf("type", "data"),
});
const messageMembers = setOf("role", "content");
const toolMembers = setOf("type", "name", "description", "input_schema", "strict", "cache_control");
const configMembers = setOf("effort", "format");
const thinkingMembers = setOf("type", "budget_tokens");
const choiceMembers = setOf("type", "name", "disable_parallel_tool_use");

function reportBlocks(blocks: unknown, path: string, marks: boolean, lost: Lost): void {
  for (const block of Array.isArray(blocks) ? blocks : []) {
    if (!isJson(block)) continue;
    const members = blockMembers[String(block.type)];
    if (members) reportLost(block, members, path, lost);
    if (!marks && block.cache_control != null) lost(`${path}.cache_control`);
    if (block.type === "tool_result" || block.type === "search_result")
      reportBlocks(block.content, `${path}.content`, marks, lost);
  }
}

/**
 * Reports what is inside the fields of a request and has no place in chat. `marks`: the provider takes marks for prompt
 * caching.
 */
export function reportLostInChat(request: MessagesRequest, marks: boolean, lost: Lost): void {
  const { messages, system, tools, output_config: config, thinking, tool_choice: choice } = request;
  const ofOptional = (of: Json | null | undefined, known: ReadonlySet<string>, path: string) =>
    of != null && reportLost(of, known, path, lost);
  for (const message of messages) {
    reportLost(message, messageMembers, "messages", lost);
    reportBlocks(message.content, "messages.content", marks, lost);
  }
  reportBlocks(system, "system", marks, lost);
  for (const tool of tools ?? []) {
    reportLost(tool, toolMembers, "tools", lost);
    if (!marks && tool.cache_control != null) lost("tools.cache_control");
  }
  ofOptional(config, configMembers, "output_config");
  ofOptional(thinking, thinkingMembers, "thinking");
  ofOptional(choice, choiceMembers, "tool_choice");
  // Models reason as much as they need where nothing is said.
  if (thinking?.type === "adaptive" && config?.effort == null) lost("thinking");
}
