import { isJson, type Json } from "#server/inference/wires/shared/json.ts";

/** The maximum of tokens of a part of a message that is not text. */
interface MediaRow {
  /** Names of part types, as chat and responses spell them, begin or end like this. */
  readonly named: RegExp;
  /** By reference, or where the size does not matter. */
  readonly tokensMax: number;
  /** Minimum bytes of an inline file per token; absent where the size does not matter. */
  readonly bytesPerToken?: number;
}

/**
 * Upper bounds, not estimates. Images are scaled before they are counted (OpenAI and Anthropic bill a few thousand
 * tokens at most). Speech takes up to 32 tokens a second, from 3 kB of Opus on; video some 300 a second. A page of
 * a PDF takes up to 3,000 tokens, and compressed text hardly one byte a token.
 */
const table: readonly MediaRow[] = [
  { named: /image/, tokensMax: 20_000 },
  { named: /audio/, tokensMax: 200_000, bytesPerToken: 64 },
  { named: /video/, tokensMax: 1_000_000, bytesPerToken: 32 },
  { named: /file|document/, tokensMax: 1_000_000, bytesPerToken: 1 },
];
const unknownMedia: MediaRow = { named: /^/, tokensMax: 20_000 };
/** A file has at least one page. */
const inlineTokensMin = 4_000;

/** The longest text in a part or in an object of it: inline data is longer than any name beside it. */
function longestText(part: Json): string {
  let longest = "";
  for (const value of Object.values(part)) {
    const text = typeof value === "string" ? value : isJson(value) ? longestText(value) : "";
    if (text.length > longest.length) longest = text;
  }
  return longest;
}

/** The maximum length of a file's address. */
const addressCharsMax = 4_096;

/** The maximum of tokens that a part of a message that is not text can need. */
export function mediaTokensMax(part: unknown): number {
  if (!isJson(part)) return unknownMedia.tokensMax;
  const type = typeof part.type === "string" ? part.type : "";
  const { tokensMax, bytesPerToken } = table.find(({ named }) => named.test(type)) ?? unknownMedia;
  if (bytesPerToken === undefined) return tokensMax;
  const inline = longestText(part);
  if (inline.length <= addressCharsMax && !inline.startsWith("data:")) return tokensMax;
  return Math.max(inlineTokensMin, Math.ceil((inline.length * 3) / 4 / bytesPerToken));
}
