import { randomToken, uuidv7 } from "#server/platform/ids.ts";
import type { Rendered } from "./page-renderer.ts";

/** What differs between two answers with the same page. */
export interface PageMarks {
  readonly nonce: string;
  readonly requestId: string;
}

/** A rendered page, split at the places of nonce and request id. */
export interface PageTemplate {
  readonly status: number;
  readonly headers: Rendered["headers"];
  readonly texts: readonly string[];
  readonly marks: readonly (keyof PageMarks)[];
}

/** Placeholders that occur nowhere else, so that the rendered page can be split at them. */
export const newMarks = (): PageMarks => ({ nonce: randomToken(16), requestId: uuidv7() });

/** Splits a page that was rendered with `made`. */
export function templateOf({ status, headers, body }: Rendered, made: PageMarks): PageTemplate {
  const pieces = Buffer.from(body)
    .toString()
    .split(new RegExp(`(${made.nonce}|${made.requestId})`));
  return {
    status,
    headers,
    texts: pieces.filter((_, at) => at % 2 === 0),
    marks: pieces
      .filter((_, at) => at % 2 === 1)
      .map((mark) => (mark === made.nonce ? "nonce" : "requestId")),
  };
}

/** The page with the nonce and request id of one answer. */
export const filled = ({ texts, marks }: Pick<PageTemplate, "texts" | "marks">, own: PageMarks): string =>
  texts.reduce((page, text, at) => page + own[marks[at - 1] ?? "nonce"] + text);
