import type { AlertChannelType } from "#contract/alert-channel.ts";
import { failureReasons, senderOver, webhookHeaders } from "#server/destinations/index.ts";
import { clock } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import { MailRefused } from "#server/platform/mailer.ts";
import { OutboundError } from "#server/platform/outbound.ts";
import type { ChannelSecrets } from "./channel-rows.ts";
import type { AlertDeps } from "./deps.ts";
import { type AlertMessage, headlineOf, linesOf } from "./message.ts";

/** A receiver did not accept a message. The text is ours: nothing that it answered. */
export class NotAccepted extends Error {
  override readonly name = "NotAccepted";
  /** The receiver wants nothing any more, so another attempt is useless. */
  readonly isFinal: boolean;
  constructor(message: string, isFinal = false) {
    super(message);
    this.isFinal = isFinal;
  }
}

type SendDeps = Pick<AlertDeps, "outbound" | "mailer">;

interface Sending {
  readonly secrets: ChannelSecrets;
  /** The same for every attempt. */
  readonly id: string;
  readonly message: AlertMessage;
  readonly signal?: AbortSignal | undefined;
}

/** Sends JSON. Throws `NotAccepted` unless the answer is a success. */
async function post(
  { outbound }: SendDeps,
  { secrets, signal }: Sending,
  body: Buffer,
  headers: Record<string, string>,
): Promise<void> {
  const send = senderOver(outbound, signal, limits.alerts);
  try {
    const { status } = await send({
      method: "POST",
      url: secrets.address,
      headers: { "content-type": "application/json", ...headers },
      body,
    });
    if (status < 200 || status >= 300) throw new NotAccepted(`Answered ${status}`, status === 410);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    throw new NotAccepted(failureReasons[error.failure]);
  }
}

const jsonOf = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const slackEscaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** How each type of channel sends a message. Throws `NotAccepted`. */
const senders: Record<AlertChannelType, (deps: SendDeps, sending: Sending) => Promise<void>> = {
  async webhook(deps, sending) {
    const { secrets, id, message } = sending;
    const body = jsonOf(message);
    const headers = webhookHeaders([secrets.signing_secret ?? undefined], { id, nowMs: clock.nowMs(), body });
    await post(deps, sending, body, headers);
  },
  async slack(deps, sending) {
    const { message } = sending;
    const text = [`*${slackEscaped(headlineOf(message))}*`, ...linesOf(message).map(slackEscaped)].join("\n");
    await post(deps, sending, jsonOf({ text }), {});
  },
  async email({ mailer }, { secrets, id, message }) {
    if (!mailer) throw new NotAccepted("No mail server is configured: set SMTP_URL");
    const text = `${[headlineOf(message), ...linesOf(message)].join("\n\n")}\n`;
    const subject = `[Portolan] ${headlineOf(message)}`;
    try {
      await mailer.send({ to: secrets.address, subject, text, messageId: `<${id}@portolan.alerts>` });
    } catch (error) {
      const reason = error instanceof Error ? error.message : "The mail server did not take the mail";
      throw new NotAccepted(reason, error instanceof MailRefused);
    }
  },
};

/** Sends a message once. Throws `NotAccepted` if the receiver does not accept it. */
export const sendOver = (type: AlertChannelType, deps: SendDeps, sending: Sending): Promise<void> =>
  senders[type](deps, sending);
