import type { ChatRequest } from "#contract/chat.ts";
import { tableOf } from "#server/platform/table.ts";
import { reportLost } from "../parameters/lost.ts";
import type { SdkModel } from "../reasoning/sdk-options.ts";
import { defaultFilename } from "../wires/openai-chat/message-blocks-to-chat.ts";
import { isJson, textOrNull } from "../wires/shared/json.ts";

const setOf = (...names: readonly string[]): ReadonlySet<string> => new Set(names);

const messageMembers = setOf(
  ...["role", "content", "tool_calls", "tool_call_id", "refusal"],
  ...["reasoning", "reasoning_content", "reasoning_details"],
);
/** The name of a tool is looked for in its call, and in the message. */
const resultMembers = setOf(...messageMembers, "name");
const callMembers = setOf("type", "function", "extra_content");
const toolMembers = setOf("type", "function");
const functionMembers = setOf("name", "description", "parameters", "strict");
const formatMembers = setOf("type", "json_schema");

/** What is inside requests that not all packages have a place for. */
interface Own {
  /** Marks for prompt caching of messages, and of tools. */
  readonly marks?: true;
  readonly toolMarks?: true;
  readonly filename?: true;
  readonly detail?: true;
  readonly schemaDescription?: true;
}
const ownOf = tableOf<Own>({
  anthropic: { marks: true, toolMarks: true, filename: true },
  bedrock: { marks: true, filename: true },
  azure: { filename: true, detail: true, schemaDescription: true },
  mistral: { schemaDescription: true },
});

const withMark = (members: ReadonlySet<string>, mark: true | undefined): ReadonlySet<string> =>
  mark ? setOf(...members, "cache_control") : members;

/** Adds what is inside the fields of a request and has no place in the package of a model. */
export function addLost(body: ChatRequest, { kind, isClaude }: SdkModel, dropped: Set<string>): void {
  const own = ownOf[kind] ?? {};
  const marks = kind === "bedrock" && !isClaude ? undefined : own.marks;
  const lost = (name: string) => void dropped.add(name);
  const callsOf = withMark(callMembers, marks);
  for (const message of body.messages) {
    reportLost(message, message.role === "tool" ? resultMembers : messageMembers, "messages", lost);
    const { content, tool_calls: calls, refusal } = message;
    if (textOrNull(refusal) && content?.length) lost("messages.refusal");
    for (const part of Array.isArray(content) ? content : []) {
      reportLost(part, withMark(setOf("type", part.type), marks), "messages.content", lost);
      const inside = part[part.type];
      if (!isJson(inside)) continue;
      if (inside.detail != null && !own.detail) lost("messages.content.image_url.detail");
      const { filename } = inside;
      if (filename != null && filename !== defaultFilename && !own.filename)
        lost("messages.content.file.filename");
    }
    for (const call of calls ?? []) reportLost(call, callsOf, "messages.tool_calls", lost);
  }
  for (const tool of body.tools ?? []) {
    reportLost(tool, withMark(toolMembers, own.toolMarks), "tools", lost);
    if (tool.function) reportLost(tool.function, functionMembers, "tools.function", lost);
  }
  const { response_format: format } = body;
  if (format == null) return;
  reportLost(format, formatMembers, "response_format", lost);
  const schemaMembers = setOf("name", "schema", "strict", ...(own.schemaDescription ? ["description"] : []));
  if (isJson(format.json_schema))
    reportLost(format.json_schema, schemaMembers, "response_format.json_schema", lost);
}
