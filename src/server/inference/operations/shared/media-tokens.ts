import { type MediaModality, mediaModalities } from "#contract/modalities.ts";
import type { MediaOfPrompt } from "#server/inference/pipeline/request.ts";
import { isJson, type Json } from "#server/inference/wires/shared/json.ts";
import { tableOf } from "#server/platform/table.ts";

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

/** The modality of each type of part, as chat, responses and messages name them. Other types require none. */
const modalityByType = tableOf<MediaModality>({
  image_url: "image",
  input_image: "image",
  image: "image",
  input_audio: "audio",
  audio_url: "audio",
  file: "file",
  input_file: "file",
  document: "file",
  video_url: "video",
  input_video: "video",
});

/** The maximum of tokens that a part of a message that is not text can need. */
function mediaTokensMax(part: unknown, type: string): number {
  if (!isJson(part)) return unknownMedia.tokensMax;
  const { tokensMax, bytesPerToken } = table.find(({ named }) => named.test(type)) ?? unknownMedia;
  if (bytesPerToken === undefined) return tokensMax;
  const inline = longestText(part);
  if (inline.length <= addressCharsMax && !inline.startsWith("data:")) return tokensMax;
  return Math.max(inlineTokensMin, Math.ceil((inline.length * 3) / 4 / bytesPerToken));
}

/** The media of a request while its parts are counted. */
export interface MediaCount extends MediaOfPrompt {
  parts: number;
  tokensMax: number;
  readonly modalities: MediaModality[];
}

export const noMedia = (): MediaCount => ({ parts: 0, tokensMax: 0, modalities: [] });

/** Adds a part of a message that is not text. */
export function countMedia(media: MediaCount, part: unknown): void {
  const type = isJson(part) && typeof part.type === "string" ? part.type : "";
  media.parts++;
  media.tokensMax += mediaTokensMax(part, type);
  const modality = modalityByType[type];
  if (modality && !media.modalities.includes(modality)) media.modalities.push(modality);
}

/** What an answer has to hold besides text; `audio` are settings of a spoken answer. */
export const outputModalitiesOf = ({
  modalities,
  audio,
}: {
  readonly modalities?: readonly string[] | null | undefined;
  readonly audio?: unknown;
}): readonly MediaModality[] =>
  mediaModalities.filter((name) => modalities?.includes(name) || (name === "audio" && audio != null));
