import type { Invitation } from "#contract/member.ts";
import type { Tx } from "#server/db/index.ts";
import type { Queue } from "#server/jobs/queue.ts";
import { clock } from "#server/platform/clock.ts";
import type { Config } from "#server/platform/env.ts";
import { limits } from "#server/platform/limits.ts";
import type { Sealer } from "#server/platform/sealing.ts";
import { queueMail } from "./mail.ts";

interface MadeInvitation {
  readonly invitation: Invitation;
  readonly organisation: string;
  /** The token in the link; only its digest is stored. */
  readonly token: string;
}

interface AskedConfirmation {
  readonly email: string;
  readonly organisation: string;
  /** The token in the link; only its digest is stored. */
  readonly token: string;
  readonly expiresAt: Date;
}

/** Delivers links that contain a secret to their person. Mails are queued, so that no request waits for them. */
export interface Notifications {
  readonly byMail: boolean;
  /** Returns the link if no mail server is configured, so that the inviting person can share it; else null. */
  invite(tx: Tx, made: MadeInvitation): Promise<string | null>;
  /** Mailed, or printed on the terminal, which only the operator reads; never logged. */
  reset(email: string, token: string): Promise<void>;
  /** Asks the owner of an address whether it may get alerts. */
  confirmAlerts(tx: Tx, asked: AskedConfirmation): Promise<void>;
  /** Sends what was written. Call it after the commit. */
  post(): void;
}

interface NotificationDeps {
  readonly config: Config;
  readonly queue: Queue;
  readonly sealer: Sealer;
  readonly say: (text: string) => void;
}

/** Secrets are behind the `#`, which browsers do not send to servers. */
const linkTo = ({ PUBLIC_URL, PORT }: Config, path: string, token: string): string =>
  new URL(`${path}#${token}`, PUBLIC_URL ?? `http://localhost:${PORT}`).href;

export function createNotifications(deps: NotificationDeps): Notifications {
  const { config, queue, say } = deps;
  const byMail = config.SMTP_URL !== undefined;
  return {
    byMail,

    async invite(tx, { invitation, organisation, token }) {
      const link = linkTo(config, "/accept-invitation", token);
      if (!byMail) return link;
      await queueMail(deps, tx, {
        to: invitation.email,
        subject: `You are invited to ${organisation}`,
        text: `You are invited to join ${organisation} on Portolan as ${invitation.role}.\n\nAccept within seven days:\n${link}\n\nIf you did not expect this, ignore this mail.\n`,
        until_ms: Date.parse(invitation.expires_at),
      });
      return null;
    },

    async reset(email, token) {
      const link = linkTo(config, "/reset-password", token);
      if (!byMail) {
        say(`\n  ${email} asked for a new password. The link works once, for an hour:\n  ${link}\n\n`);
        return;
      }
      await queueMail(deps, null, {
        to: email,
        subject: "Reset your Portolan password",
        text: `Somebody, hopefully you, asked for a new password for this address on Portolan.\n\nChoose it within an hour:\n${link}\n\nIf it was not you, ignore this mail: your password stays the same.\n`,
        until_ms: clock.nowMs() + limits.signIn.resetLifetimeMs,
      });
    },

    async confirmAlerts(tx, { email, organisation, token, expiresAt }) {
      const link = linkTo(config, "/confirm-alerts", token);
      await queueMail(deps, tx, {
        to: email,
        subject: `Confirm alerts of ${organisation}`,
        text: `Somebody of ${organisation} wants to send alerts of Portolan to this address.\n\nIf you agree, open this link until ${expiresAt.toISOString()} and confirm there:\n${link}\n\nIf you do not want these alerts, ignore this mail: nothing else is sent.\n`,
        until_ms: expiresAt.getTime(),
      });
    },

    post: () => queue.wake("mail"),
  };
}
