import type { MessagesRequest } from "#contract/messages.ts";
import { sha256 } from "#server/platform/crypto.ts";

/** The longest name of a function that OpenAI's chat accepts; Anthropic accepts 128 characters. */
const nameCharsMax = 64;
const digestChars = 8;

/** The name under which a tool is sent to chat: a long one is cut and ends in a digest, so that it stays unique. */
export function chatToolName(name: string): string {
  if (name.length <= nameCharsMax) return name;
  const digest = Buffer.from(sha256(name), "base64url").toString("hex").slice(0, digestChars);
  return `${name.slice(0, nameCharsMax - digestChars - 1)}_${digest}`;
}

/** The tools whose names were cut, by the name that chat knows. */
export function cutToolNames({ tools }: Pick<MessagesRequest, "tools">): ReadonlyMap<string, string> {
  const cut = new Map<string, string>();
  for (const { name } of tools ?? [])
    if (name !== undefined && name.length > nameCharsMax) cut.set(chatToolName(name), name);
  return cut;
}
