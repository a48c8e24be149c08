import { createTransport } from "nodemailer";
import { z } from "zod";
import type { Config } from "./env.ts";
import { limits } from "./limits.ts";

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The same for every attempt, so that receivers can detect a mail that is sent twice. */
  readonly messageId?: string;
}

/** The mail server refuses this mail permanently. */
export class MailRefused extends Error {
  override readonly name = "MailRefused";
}

/** The codes of an error only, because texts of mail servers contain addresses. */
function failureOf(error: unknown): Error {
  const { code, responseCode } = z
    .object({ code: z.string().optional(), responseCode: z.number().optional() })
    .catch({})
    .parse(error);
  const codes = [code, responseCode].filter(Boolean).join(" ") || "an unknown failure";
  // Only errors about the mail itself. Errors about our connection (credentials, greeting) may be corrected.
  const permanent = (responseCode ?? 0) >= 500 && (code === "EENVELOPE" || code === "EMESSAGE");
  return new (permanent ? MailRefused : Error)(`The mail server did not take the mail: ${codes}`);
}

export interface Mailer {
  /** Resolves when the mail server has accepted the mail. Throws `MailRefused` if it never will. */
  send(mail: Mail): Promise<void>;
}

/** Sends mail through the configured server. Null if none is configured. */
export function openMailer({ SMTP_URL, MAIL_FROM }: Pick<Config, "SMTP_URL" | "MAIL_FROM">): Mailer | null {
  if (SMTP_URL === undefined) return null;
  const { timeoutMs } = limits.mail;
  const transport = createTransport(
    {
      url: SMTP_URL,
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      // User input in a mail must not make nodemailer read a file or a URL.
      disableFileAccess: true,
      disableUrlAccess: true,
    },
    { from: MAIL_FROM },
  );
  return {
    async send({ to, subject, text, messageId }) {
      try {
        await transport.sendMail({ to: { name: "", address: to }, subject, text, messageId });
      } catch (error) {
        throw failureOf(error);
      }
    },
  };
}
