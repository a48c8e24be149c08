import { isJson, type Json } from "../shared/json.ts";

/** The members that chat has in an object under the name of the type, and the responses operation beside the type. */
function flat(value: Json): Json {
  const { type } = value;
  const inner = typeof type === "string" ? value[type] : undefined;
  return isJson(inner) ? { type, ...inner } : value;
}

/** Chat's tools without `strict` are not strict; the responses operation's are, so it is said. */
function toolOf(tool: unknown): unknown {
  if (!isJson(tool)) return tool;
  const made = flat(tool);
  if (made.type === "function") {
    const { parameters, strict, ...rest } = made;
    return {
      ...rest,
      parameters: parameters ?? { type: "object", properties: {} },
      strict: strict ?? false,
    };
  }
  return isJson(made.format) ? { ...made, format: flat(made.format) } : made;
}

function choiceOf(choice: unknown): unknown {
  if (!isJson(choice)) return choice;
  const made = flat(choice);
  return Array.isArray(made.tools)
    ? { ...made, tools: made.tools.map((tool: unknown) => (isJson(tool) ? flat(tool) : tool)) }
    : made;
}

function formatOf(format: unknown): unknown {
  if (!isJson(format) || format.type !== "json_schema") return format;
  const { schema, strict, ...rest } = flat(format);
  return { ...rest, schema: schema ?? {}, strict: strict ?? false };
}

/** Fields of a chat request in the form of the responses operation, which has some of them in `text`. */
export function responseFieldsOfChat(chat: Json): Json {
  const { tools, tool_choice: choice, response_format: format, verbosity, ...rest } = chat;
  const text = {
    ...(format != null && { format: formatOf(format) }),
    ...(verbosity != null && { verbosity }),
  };
  return {
    ...rest,
    ...(Array.isArray(tools) && { tools: tools.map(toolOf) }),
    ...(choice != null && { tool_choice: choiceOf(choice) }),
    ...(Object.keys(text).length > 0 && { text }),
  };
}
