import type { Answer } from "#app/_lib/inference.ts";
import type { Turn } from "./draft.ts";

/** What one model was asked and has answered so far. */
export interface Column {
  readonly turns: readonly Turn[];
  readonly answer: Answer | null;
}

export const emptyColumn: Column = { turns: [], answer: null };

/** Puts what was asked and answered behind a conversation, so that the next question goes on with it. */
export const withAnswer = (column: Column, input: string): readonly Turn[] =>
  column.answer && column.answer.failure === null
    ? [...column.turns, { role: "user", content: input }, { role: "assistant", content: column.answer.text }]
    : column.turns;
