import { formats, type ReasoningDetail, readDetails } from "#server/inference/reasoning/details.ts";
import type { Json } from "../shared/json.ts";

/** A reasoning item of an earlier answer, and how many parts of the turn precede it. */
interface Thought {
  readonly position: number;
  id: string | undefined;
  data: string | undefined;
  readonly summary: string[];
}

/** Whether a detail belongs to the reasoning item that was read before it. */
function isOf(thought: Thought, { id, index, type }: ReasoningDetail): boolean {
  if (id !== undefined && thought.id !== undefined) return id === thought.id;
  return index === thought.position && (type !== "reasoning.encrypted" || thought.data === undefined);
}

/** The reasoning items in a message's details, and whether there are details that are none. */
function thoughtsOf(details: readonly ReasoningDetail[]) {
  const thoughts: Thought[] = [];
  let isForeign = false;
  for (const detail of details) {
    if (detail.format !== formats.openai) {
      isForeign = true;
      continue;
    }
    let thought = thoughts.at(-1);
    if (!thought || !isOf(thought, detail)) {
      thought = { position: detail.index, id: detail.id, data: undefined, summary: [] };
      thoughts.push(thought);
    }
    thought.id ??= detail.id;
    if (detail.type === "reasoning.encrypted") thought.data = detail.data;
    else if (detail.summary !== undefined) thought.summary.push(detail.summary);
  }
  return { thoughts, isForeign };
}

const itemOf = ({ id, data, summary }: Thought): Json => ({
  type: "reasoning",
  ...(id !== undefined && { id }),
  summary: summary.map((text) => ({ type: "summary_text", text })),
  encrypted_content: data,
});

/**
 * The items of an assistant's turn with its reasoning where it was. Reasoning that is not encrypted is left out,
 * because nothing is stored at the provider; so is reasoning that led to nothing, which providers refuse.
 */
export function withThoughts(
  given: unknown,
  parts: readonly Json[],
): { readonly items: readonly Json[]; readonly isLost: boolean } {
  const details = readDetails(given);
  if (details.length === 0) return { items: parts, isLost: false };
  const { thoughts, isForeign } = thoughtsOf(details);
  const readable = thoughts.filter(({ data }) => data !== undefined);
  const items: Json[] = [];
  let at = 0;
  let isLost = isForeign || readable.length < thoughts.length;
  for (const thought of readable) {
    while (items.length < thought.position && at < parts.length) items.push(parts[at++] ?? {});
    if (at < parts.length) items.push(itemOf(thought));
    else isLost = true;
  }
  return { items: [...items, ...parts.slice(at)], isLost };
}
