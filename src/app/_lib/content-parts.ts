import { listOf, recordOf, textOf } from "./json.ts";

interface MessageContent {
  readonly text: string;
  /** URLs of images. */
  readonly images: readonly string[];
}

type Part = Readonly<Record<string, unknown>>;

/** Chat nests the URL of an image, responses do not. */
const imageOf = ({ image_url: image }: Part): string => textOf(image) || textOf(recordOf(image).url);

const isText = ({ text }: Part): boolean => typeof text === "string";

/** What a message's content says, whether it is one text or a list of parts; null when there is more to it. */
export function contentParts(content: unknown): MessageContent | null {
  if (typeof content === "string") return { text: content, images: [] };
  const parts = listOf(content).map(recordOf);
  if (parts.length === 0 || !parts.every((part) => isText(part) || imageOf(part) !== "")) return null;
  return {
    text: parts
      .filter(isText)
      .map(({ text }) => text)
      .join("\n"),
    images: parts.filter((part) => !isText(part)).map(imageOf),
  };
}

/** The words of a message's content; null when there is more to it. */
export function contentText(content: unknown): string | null {
  const parts = contentParts(content);
  return parts && parts.images.length === 0 ? parts.text : null;
}
