import { Webhook } from "standardwebhooks";
import { dateAt } from "#server/platform/clock.ts";

/** Whether a text is a secret of Standard Webhooks: `whsec_` and 24 to 64 bytes in base64. */
export function isSigningSecret(given: string): boolean {
  const base64 = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(given)?.[1] ?? "";
  const bytes = Buffer.from(base64, "base64");
  // Decoders disagree on non-canonical base64, so it is refused.
  const isExact = bytes.toString("base64").replace(/=+$/, "") === base64.replace(/=+$/, "");
  return isExact && bytes.length >= 24 && bytes.length <= 64;
}

interface SentMessage {
  /** The same for every attempt. */
  readonly id: string;
  readonly nowMs: number;
  readonly body: Buffer;
}

/** The headers of Standard Webhooks: the message's id, and a signature with each of the secrets. */
export function webhookHeaders(
  secrets: readonly (string | undefined)[],
  { id, nowMs, body }: SentMessage,
): Record<string, string> {
  const keys = secrets.filter((key) => key !== undefined);
  if (keys.length === 0) return { "webhook-id": id };
  // The signed and the sent time are both truncated to whole seconds.
  const at = dateAt(Math.floor(nowMs / 1000) * 1000);
  return {
    "webhook-id": id,
    "webhook-timestamp": String(at.getTime() / 1000),
    "webhook-signature": keys.map((key) => new Webhook(key).sign(id, at, body)).join(" "),
  };
}
