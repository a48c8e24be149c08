import type { GenerationCursor } from "#contract/generation.ts";

/** The cursor of a page as it is in the URL: `time_id`. */
export const cursorText = ({ started_at, id }: GenerationCursor): string => `${started_at}_${id}`;

/** Reads it back; undefined, the first page, for anything else. */
export function parseCursor(text: string | null): GenerationCursor | undefined {
  const [started_at, id, ...more] = text?.split("_") ?? [];
  if (!started_at || !id || more.length > 0 || Number.isNaN(Date.parse(started_at))) return undefined;
  return { started_at, id };
}
