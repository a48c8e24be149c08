import { listOf, recordOf } from "./json.ts";

/** The words of a message's content, whether it is one text or a list of parts; null when there is more to it. */
export function contentText(content: unknown): string | null {
  if (typeof content === "string") return content;
  const texts = listOf(content).map((part) => recordOf(part).text);
  return texts.length > 0 && texts.every((text) => typeof text === "string") ? texts.join("\n") : null;
}
