import { z } from "zod";

export const callbackCharsMax = 2048;
const loopback = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** What is wrong with a callback address, or null. Nothing is ever fetched from it. */
function problemOf(text: string): string | null {
  // Browsers read a backslash as a slash and drop control characters: two readers, two hosts.
  if (/[\s\\\p{Cc}]/u.test(text)) return "must not hold spaces, control characters or backslashes";
  const authority = /^https?:\/\/([^/?#]+)/i.exec(text)?.[1];
  if (authority === undefined || !URL.canParse(text)) return "must be an absolute https:// address";
  if (text.includes("#")) return "must not have a fragment";
  if (authority.includes("@")) return "must not hold a user name";
  const { protocol, hostname } = new URL(text);
  if (protocol === "http:" && !loopback.has(hostname)) {
    return "must be https, or http on localhost, 127.0.0.1 or [::1]";
  }
  return null;
}

/** The address of an app that gets a code: https on any host, or http on the person's own machine. */
export const CallbackUrl = z
  .string()
  .max(callbackCharsMax, { error: `may have ${callbackCharsMax} characters at most`, abort: true })
  .superRefine((text, context) => {
    const message = problemOf(text);
    if (message) context.addIssue({ code: "custom", message });
  });
