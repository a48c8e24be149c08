import { createTransport } from "nodemailer";
import { z } from "zod";
import type { Config } from "./env.ts";
import { limits } from "./limits.ts";

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** The mail server will not take this mail, however often it is asked. */
export class MailRefused extends Error {
  override readonly name = "MailRefused";
}

/** What went wrong, by its codes only: a mail server repeats addresses in what it says. */
function failureOf(error: unknown): Error {
  const { code, responseCode } = z
    .object({ code: z.string().optional(), responseCode: z.number().optional() })
    .catch({})
    .parse(error);
  const said = [code, responseCode].filter(Boolean).join(" ") || "an unknown failure";
  // Of the mail itself; what is wrong with us (credentials, greeting) may be mended.
  const permanent = (responseCode ?? 0) >= 500 && (code === "EENVELOPE" || code === "EMESSAGE");
  return new (permanent ? MailRefused : Error)(`The mail server did not take the mail: ${said}`);
}

export interface Mailer {
  /** Resolves once the mail server has taken it. Throws `MailRefused` when it never will. */
  send(mail: Mail): Promise<void>;
}

/** The way to people's mailboxes; null when no mail server is configured. */
export function openMailer({ SMTP_URL, MAIL_FROM }: Pick<Config, "SMTP_URL" | "MAIL_FROM">): Mailer | null {
  if (SMTP_URL === undefined) return null;
  const { timeoutMs } = limits.mail;
  const transport = createTransport(
    {
      url: SMTP_URL,
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      // Texts are ours; nothing a person typed may make the server read a file or a URL.
      disableFileAccess: true,
      disableUrlAccess: true,
    },
    { from: MAIL_FROM },
  );
  return {
    async send({ to, subject, text }) {
      try {
        await transport.sendMail({ to: { name: "", address: to }, subject, text });
      } catch (error) {
        throw failureOf(error);
      }
    },
  };
}
