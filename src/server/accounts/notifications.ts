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
  /** What the link carries; only its digest is kept. */
  readonly token: string;
}

/** How links with a secret in them reach the person they are for. Mails go by the queue: nobody waits for them. */
export interface Notifications {
  readonly byMail: boolean;
  /** Returns the link when no mail is configured, for whoever invites to pass on; else null. */
  invite(tx: Tx, made: MadeInvitation): Promise<string | null>;
  /** Mailed; or said at the terminal, where only the operator reads, and never in the log. */
  reset(email: string, token: string): Promise<void>;
  /** Has what was written sent now. Call it once it is committed. */
  post(): void;
}

interface NotificationDeps {
  readonly config: Config;
  readonly queue: Queue;
  readonly sealer: Sealer;
  readonly say: (text: string) => void;
}

/** Secrets stand behind the `#`, which no browser sends to any server. */
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
        text: `You are invited to join ${organisation} on Portolan as ${invitation.role}.\n\nAccept within seven days:\n${link}\n\nIf you did not expect this, do nothing.\n`,
        until_ms: Date.parse(invitation.expires_at),
      });
      return null;
    },

    async reset(email, token) {
      const link = linkTo(config, "/reset-password", token);
      if (!byMail) {
        say(`\n  ${email} asked for a new password. The link counts once, for an hour:\n  ${link}\n\n`);
        return;
      }
      await queueMail(deps, null, {
        to: email,
        subject: "A new password for Portolan",
        text: `Somebody, hopefully you, asked for a new password for this address on Portolan.\n\nChoose it within an hour:\n${link}\n\nIf it was not you, do nothing: your password stays as it is.\n`,
        until_ms: clock.nowMs() + limits.signIn.resetLifetimeMs,
      });
    },

    post: () => queue.wake("mail"),
  };
}
