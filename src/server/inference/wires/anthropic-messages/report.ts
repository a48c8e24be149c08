import { MessagesRequest } from "#contract/messages.ts";
import type { ParameterChanges as ParameterReport } from "#contract/parameter-changes.ts";
import type { ParameterChanges } from "#server/inference/parameters/changes.ts";
import type { PreparedMessages } from "./prepared-messages.ts";

/** Members of a request that have a translation; all others are Anthropic's own. */
const translated: ReadonlySet<string> = new Set([
  ...Object.keys(MessagesRequest.shape),
  ...["chat", "nativeOnly", "protocolHeaders"],
]);

/** The client's name for a field of chat that was made from its request. */
function namesOf({ thinking, output_config: config, metadata, user }: PreparedMessages) {
  const byThinking = thinking?.type === "disabled" || !config?.effort;
  const names: Readonly<Record<string, string>> = {
    stop: "stop_sequences",
    response_format: "output_config.format",
    parallel_tool_calls: "tool_choice.disable_parallel_tool_use",
    reasoning_effort: byThinking ? "thinking" : "output_config.effort",
    ...(user === metadata?.user_id && { user: "metadata.user_id" }),
  };
  return (name: string): string => (Object.hasOwn(names, name) ? (names[name] ?? name) : name);
}

/** Reports what chat changed under the names that the client used, and what chat does not have. */
export function reportInMessages(
  request: PreparedMessages,
  report: ParameterReport | null,
  changes: ParameterChanges,
): void {
  const nameOf = namesOf(request);
  const { chat } = request;
  for (const name of Object.keys(request))
    if (!translated.has(name) && request[name] != null) changes.drop(name);
  if (request.service_tier != null && chat.service_tier == null) changes.drop("service_tier");
  if (chat.reasoning_effort != null && nameOf("reasoning_effort") === "thinking")
    changes.translate("thinking", "reasoning_effort");
  for (const name of report?.dropped ?? []) changes.drop(nameOf(name));
  for (const { from, to } of report?.translated ?? []) changes.translate(nameOf(from), to);
  for (const name of report?.clamped ?? []) changes.clamp(nameOf(name));
}
