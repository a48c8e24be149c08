import { z } from "zod";
import { wanted } from "./common.ts";
import { tokensMax } from "./sizes.ts";

/** Texts, or lists of tokens, that one request may bring. */
export const textsMax = 2048;

export type TextsOrTokens = string | string[] | number[] | number[][];

/** How many texts, or lists of tokens, there are. */
export const promptsIn = (prompts: TextsOrTokens): number =>
  typeof prompts === "string" || typeof prompts[0] === "number" ? 1 : prompts.length;

interface Bounds {
  readonly charsMin: 0 | 1;
  readonly charsMax: number;
  /** What is right, as it follows "must be". */
  readonly what: string;
}

const isToken = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0;
const areTokens = (value: unknown): value is number[] =>
  Array.isArray(value) && value.length > 0 && value.length <= tokensMax && value.every(isToken);

/** The same for documents. */
function shapeOf({ charsMin, charsMax }: Bounds) {
  const text = { type: "string", minLength: charsMin, maxLength: charsMax } as const;
  const token = { type: "integer", minimum: 0 } as const;
  const tokens = { type: "array", minItems: 1, maxItems: tokensMax, items: token } as const;
  const several = { type: "array", minItems: 1, maxItems: textsMax } as const;
  return { anyOf: [text, { ...several, items: text }, tokens, { ...several, items: tokens }] };
}

/** One or several texts, each as text or as tokens. Looked at by hand: a million tokens in four schemas take a second. */
export function textsOrTokens(bounds: Bounds) {
  const { charsMin, charsMax, what } = bounds;
  const isText = (value: unknown): value is string =>
    typeof value === "string" && value.length >= charsMin && value.length <= charsMax;
  const fits = (value: unknown): boolean => {
    if (!Array.isArray(value)) return isText(value);
    if (typeof value[0] === "number") return areTokens(value);
    if (value.length === 0 || value.length > textsMax) return false;
    return value.every(isText) || value.every(areTokens);
  };
  return z.custom<TextsOrTokens>(fits, wanted(what)).meta({ override: shapeOf(bounds) });
}
