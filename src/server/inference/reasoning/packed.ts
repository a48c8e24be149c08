import { parseEvent } from "../providers/answer-json.ts";
import { type ReasoningDetail, readDetails } from "./details.ts";

/** Begins `encrypted_content` that we made; that of providers never does. */
const prefix = "portolan1.";

/**
 * Reasoning details as the `encrypted_content` of a reasoning item, so that clients of `/responses` return them. Null
 * if nothing in them is signed or encrypted: then the text of the item is all there is.
 */
export function packDetails(details: readonly ReasoningDetail[]): string | null {
  const isSigned = details.some(({ signature, data }) => signature !== undefined || data !== undefined);
  return isSigned ? prefix + Buffer.from(JSON.stringify(details)).toString("base64url") : null;
}

/** Whether we made this `encrypted_content`. Providers refuse it. */
export const isPacked = (content: unknown): content is string =>
  typeof content === "string" && content.startsWith(prefix);

/** The reasoning details in `encrypted_content`; none if a provider made it, or it was changed. */
export function unpackDetails(content: unknown): readonly ReasoningDetail[] {
  if (!isPacked(content)) return [];
  try {
    return readDetails(parseEvent(Buffer.from(content.slice(prefix.length), "base64url").toString()));
  } catch {
    return [];
  }
}
