import { parseEvent } from "#server/inference/providers/answer-json.ts";
import { isJson, type Json } from "../shared/json.ts";

/** What a part of a message says. */
export type Words = "text" | "refusal";
export const emptyPart = {
  text: () => ({ type: "output_text", text: "", annotations: [], logprobs: [] }),
  refusal: () => ({ type: "refusal", refusal: "" }),
} satisfies Record<Words, () => Json>;

/** The text inside the arguments of a custom tool; what is no such object is taken as the text itself. */
export function inputOf(json: string): string {
  try {
    const value = parseEvent(json);
    if (isJson(value) && typeof value.input === "string") return value.input;
  } catch {
    // The model did not keep to the shape: what it wrote is the input.
  }
  return json;
}

/** Chat spells a citation one level deeper than responses do. */
export function annotationOf(value: unknown): Json | null {
  if (!isJson(value)) return null;
  const { type } = value;
  return typeof type === "string" && isJson(value[type]) ? { type, ...value[type] } : value;
}
