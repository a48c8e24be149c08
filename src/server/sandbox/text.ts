import { integerBetween, pickOne, seededRandom } from "./seeded.ts";

/** Cuts a text into the sandbox's tokens; joined they give the text again. */
export const tokenize = (text: string): string[] => text.match(/\s*\S{1,6}|\s+$/gu) ?? [];

export const countTokens = (text: string): number => tokenize(text).length;

const words = [
  "harbour",
  "chart",
  "compass",
  "tide",
  "north",
  "pilot",
  "lantern",
  "coast",
  "anchor",
  "sail",
  "wind",
  "reef",
  "island",
  "current",
  "the",
  "a",
  "of",
  "along",
  "towards",
  "beyond",
  "keeps",
  "marks",
  "follows",
  "crosses",
  "measures",
  "quiet",
  "steady",
  "narrow",
  "early",
  "safe",
] as const;

const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** One to four sentences, the same ones for the same seed. */
export function seededText(seed: number): string {
  const random = seededRandom(seed);
  const sentences = Array.from({ length: integerBetween(random, 1, 4) }, () => {
    const sentence = Array.from({ length: integerBetween(random, 6, 12) }, () => pickOne(random, words));
    return `${capitalised(sentence.join(" "))}.`;
  });
  return sentences.join(" ");
}

/** Exactly `count` tokens of running text. */
export function seededTokens(seed: number, count: number): string[] {
  const tokens: string[] = [];
  for (let part = seed; tokens.length < count; part++) {
    tokens.push(...tokenize(`${tokens.length ? " " : ""}${seededText(part)}`));
  }
  return tokens.slice(0, count);
}
