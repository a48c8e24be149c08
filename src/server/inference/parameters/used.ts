import { isJson, type Json } from "../wires/shared/json.ts";

const isOneOf =
  (...values: readonly unknown[]) =>
  (value: unknown): boolean =>
    values.includes(value);
const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/** Values that ask for nothing but what happens without the field. */
const defaults: Readonly<Record<string, (value: unknown) => boolean>> = {
  n: isOneOf(1),
  best_of: isOneOf(0, 1),
  echo: isOneOf(false),
  logprobs: isOneOf(false),
  store: isOneOf(false),
  service_tier: isOneOf("auto", "default"),
  tools: isEmpty,
  stop: isEmpty,
  tool_choice: isOneOf("auto"),
  response_format: (value) => isJson(value) && value.type === "text",
  modalities: (value) => Array.isArray(value) && value.every((one) => one === "text"),
};

/** Whether a field asks for something that an endpoint may lack. */
export const asksFor = (name: string, value: unknown): boolean =>
  value != null && !(Object.hasOwn(defaults, name) && defaults[name]?.(value));

const named = (choice: unknown): boolean => choice === "required" || choice === "any" || isJson(choice);

/** A `tool_choice` that requires a call. `allowed_tools` says whether it does. */
export const isForced = (choice: unknown): boolean => {
  if (!isJson(choice) || choice.type !== "allowed_tools") return named(choice);
  const inner = isJson(choice.allowed_tools) ? choice.allowed_tools : choice;
  return inner.mode === "required";
};

/** Whether a `response_format` has a JSON schema. */
export const hasSchema = (format: unknown): boolean => isJson(format) && format.type === "json_schema";

/** Whether a `response_format` is JSON without a schema. */
export const isJsonObject = (format: unknown): boolean => isJson(format) && format.type === "json_object";

/** The parameters that a request uses, named as in `supported_parameters`. */
export function usedParameters(request: Json, names: readonly string[]): string[] {
  const used = names.filter((name) => asksFor(name, request[name]));
  if (isForced(request.tool_choice)) used.push("forced_tool_choice");
  if (isJsonObject(request.response_format)) used.push("json_object");
  if (hasSchema(request.response_format)) used.push("structured_outputs");
  return used;
}
