import type { Answer } from "#app/_lib/inference.ts";
import type { Content, Turn } from "./draft.ts";

/** The conversation with one model, and its current answer. */
export interface Column {
  readonly turns: readonly Turn[];
  readonly answer: Answer | null;
}

export const emptyColumn: Column = { turns: [], answer: null };

/** The conversation with the last question and answer appended, to be sent with the next question. */
export const withAnswer = (column: Column, sent: Content): readonly Turn[] =>
  column.answer && column.answer.failure === null
    ? [...column.turns, { role: "user", content: sent }, { role: "assistant", content: column.answer.text }]
    : column.turns;
