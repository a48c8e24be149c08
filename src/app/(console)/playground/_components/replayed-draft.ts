import { contentText } from "#app/_lib/content-parts.ts";
import { listOf, numberOf, recordOf, textOf } from "#app/_lib/json.ts";
import type { GenerationReplay } from "#contract/generation.ts";
import { type Draft, emptyDraft, type Item, isOperation, operations } from "./draft.ts";

/** Splits a conversation into its history and the last user message, which is empty if the last item is another. */
function lastSaid(items: readonly Item[]): Pick<Draft, "history" | "input"> {
  const last = items.at(-1);
  const words = last?.role === "user" ? contentText(last.content) : null;
  return words === null ? { history: items, input: "" } : { history: items.slice(0, -1), input: words };
}

const pretty = (value: unknown): string => JSON.stringify(value, null, 2);

/** A generation's request as a draft to send again; null for an operation that cannot be tried here. */
export function draftOfReplay({ operation, body }: GenerationReplay): Draft | null {
  if (!isOperation(operation)) return null;
  // The playground neither stores answers nor runs in the background.
  const { model, stream, temperature, instructions, input, tools, store, background, ...others } = body;
  const { limit } = operations[operation];
  // The older name of the limit of chats.
  const { [limit ?? ""]: bound, max_tokens: olderBound, ...fields } = others;
  return {
    ...emptyDraft,
    operation,
    models: [textOf(model)],
    system: textOf(instructions),
    ...lastSaid(listOf(input).map(recordOf)),
    tools: tools === undefined ? "" : pretty(tools),
    fields: Object.keys(fields).length === 0 ? "" : pretty(fields),
    temperature: numberOf(temperature) ?? null,
    max_tokens: numberOf(bound) ?? numberOf(olderBound) ?? null,
    stream: stream === true,
  };
}
