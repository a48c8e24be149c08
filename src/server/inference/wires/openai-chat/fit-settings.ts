import type { ChatRequest, ChatTool } from "#contract/chat.ts";
import { type Lost, reportLost } from "#server/inference/parameters/lost.ts";
import type { Copied } from "#server/inference/parameters/send.ts";
import { unsupportedField } from "#server/inference/pipeline/failures.ts";
import { isJson, type Json } from "../shared/json.ts";

const toolMembers = new Set(["type", "function", "custom"]);
const functionMembers = new Set(["name", "description", "parameters", "strict"]);
const schemaMembers = new Set(["name", "description", "schema", "strict"]);
const formatMembers = new Set(["type", "json_schema"]);
const streamMembers = new Set(["include_usage"]);

/** The members of an object that are among `known`, and set. */
const membersOf = (of: Json, known: ReadonlySet<string>): Json =>
  Object.fromEntries(Object.entries(of).filter(([name, value]) => known.has(name) && value !== null));

function strictTool(tool: ChatTool, lost: Lost): Json {
  reportLost(tool, toolMembers, "tools", lost);
  if (!tool.function) return membersOf(tool, toolMembers);
  reportLost(tool.function, functionMembers, "tools.function", lost);
  return { type: tool.type, function: membersOf(tool.function, functionMembers) };
}

function strictFormat(format: Json, lost: Lost): Json {
  reportLost(format, formatMembers, "response_format", lost);
  const { type, json_schema: schema } = format;
  if (!isJson(schema)) return { type };
  reportLost(schema, schemaMembers, "response_format.json_schema", lost);
  return { type, json_schema: membersOf(schema, schemaMembers) };
}

/** A list of allowed tools becomes the list of tools where providers have no such choice. */
function allowTools(body: Json, { sending: { changes } }: Copied): void {
  const { tool_choice: choice, tools } = body;
  if (!isJson(choice) || choice.type !== "allowed_tools" || !Array.isArray(tools)) return;
  const { mode, tools: allowed } = isJson(choice.allowed_tools) ? choice.allowed_tools : choice;
  const nameOf = (tool: unknown) => (isJson(tool) && isJson(tool.function) ? tool.function.name : undefined);
  const names = new Set(Array.isArray(allowed) ? allowed.map(nameOf) : []);
  body.tools = tools.filter((tool) => names.has(nameOf(tool)));
  body.tool_choice = mode === "required" ? "required" : "auto";
  changes.translate("tool_choice", "tools");
}

/** The types of tools that an endpoint takes; null: any. */
function toolTypesOf({ rules, provider }: Copied["endpoint"]): readonly string[] | null {
  if (rules.toolTypes) return rules.toolTypes;
  return rules.unknownFields === "rejected" && provider.kind === "openai-compatible" ? ["function"] : null;
}

/**
 * Brings what is inside the settings of a body into the form that its endpoint takes, and reports what is left out. SDK
 * packages do this for their own providers. Throws `AttemptError` for tools of types that the endpoint does not know.
 */
export function fitSettings({ stream_options: options }: ChatRequest, body: Json, to: Copied): void {
  const { endpoint, sending } = to;
  const lost: Lost = (name) => sending.changes.drop(name);
  if (options != null) reportLost(options, streamMembers, "stream_options", lost);
  if (!endpoint.rules.allowedTools) allowTools(body, to);
  const { response_format: format } = body;
  const excluded = endpoint.rules.formatsWithoutTools ?? [];
  if (body.tools && isJson(format) && excluded.includes(String(format.type)))
    throw unsupportedField("response_format");
  const types = toolTypesOf(endpoint);
  const tools = Array.isArray(body.tools) ? (body.tools as readonly ChatTool[]) : [];
  if (types && !tools.every(({ type }) => types.includes(type))) throw unsupportedField("tools");
  const isPackaged = endpoint.provider.kind !== "openai-compatible" && to.api !== "responses";
  if (endpoint.rules.unknownFields === "ignored" || isPackaged) return;
  if (tools.length > 0) body.tools = tools.map((tool) => strictTool(tool, lost));
  if (isJson(body.response_format)) body.response_format = strictFormat(body.response_format, lost);
}
