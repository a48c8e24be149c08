import { listOf, numberOf, recordOf, textOf } from "#app/_lib/json.ts";
import { type Draft, emptyDraft, isOperation } from "./draft.ts";

/** A draft as the fragment of an address: fragments are not sent to any server. Images are too large for an address. */
export function fragmentOf({ images: _, ...draft }: Draft): string {
  const bytes = new TextEncoder().encode(JSON.stringify(draft));
  return `#${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))}`;
}

const within = (value: number | undefined, low: number, high: number): number | null =>
  value !== undefined && value >= low && value <= high ? value : null;

/** Reads a draft from a link of somebody else: invalid fields get their default. */
function readDraft(value: unknown): Draft {
  const raw = recordOf(value);
  const operation = textOf(raw.operation);
  const models = listOf(raw.models).map(textOf).slice(0, 2);
  return {
    operation: isOperation(operation) ? operation : emptyDraft.operation,
    models: models.length === 0 ? emptyDraft.models : models,
    system: textOf(raw.system),
    history: listOf(raw.history).map(recordOf),
    input: textOf(raw.input),
    images: [],
    documents: textOf(raw.documents),
    tools: textOf(raw.tools),
    schema: textOf(raw.schema),
    fields: textOf(raw.fields),
    temperature: within(numberOf(raw.temperature), 0, 2),
    max_tokens: within(numberOf(raw.max_tokens), 1, 1_000_000),
    stream: raw.stream !== false,
  };
}

/** The draft in a fragment; null when there is none that can be read. */
export function draftOf(fragment: string): Draft | null {
  try {
    const bytes = Uint8Array.from(atob(fragment.slice(1)), (char) => char.charCodeAt(0));
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof value === "object" && value !== null ? readDraft(value) : null;
  } catch {
    return null;
  }
}
