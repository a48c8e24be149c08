import type { Json } from "../wires/shared/json.ts";
import { reasoningFields, type SentReasoning } from "./fields.ts";
import { type ReasoningFields, reasoningOf } from "./form.ts";
import type { ReasoningRow } from "./row.ts";

type Given = NonNullable<ReasoningFields["reasoning"]>;

/** The members that OpenAI does not have: their meaning is in `effort`. */
const foreign: ReadonlySet<string> = new Set(["max_tokens", "enabled", "exclude"]);

/** The row of a model of OpenAI for its responses operation; without `effort` if it takes no setting. */
export function openAiResponsesRow({ effort, source, date }: ReasoningRow): ReasoningRow {
  const levels = effort?.levelsOfResponses ?? effort?.levels;
  return { ...(levels && { effort: { field: "reasoning", levels } }), source, date };
}

/** `reasoning` of a request for a response, as OpenAI's model takes it; null if it takes none. */
export function openAiResponsesReasoning(
  reasoning: Given,
  model: ReasoningRow,
): Omit<SentReasoning, "fields"> & { readonly field: Json | null } {
  const { summary: _, exclude: __, ...settings } = reasoning;
  const form = reasoningOf({ reasoning: settings });
  const row = openAiResponsesRow(model);
  const { fields, ...changes } = reasoningFields(form, row);
  if (!row.effort) return { ...changes, dropped: ["reasoning"], field: null };
  const own = Object.entries(reasoning).filter(
    ([name, value]) => value != null && name !== "effort" && !foreign.has(name),
  );
  const field: Json = { ...Object.fromEntries(own), ...(fields.reasoning as Json | undefined) };
  return { ...changes, field: Object.keys(field).length > 0 ? field : null };
}
