import type { Notifications } from "#server/accounts/index.ts";
import { openJob, type SealedJob, sealJob } from "#server/accounts/sealed-job.ts";
import type { Queue } from "#server/jobs/queue.ts";
import { clock, dateAt } from "#server/platform/clock.ts";
import { FailureWindow } from "#server/platform/failure-window.ts";
import { randomToken } from "#server/platform/ids.ts";
import { limits } from "#server/platform/limits.ts";
import type { Sealer } from "#server/platform/sealing.ts";
import type { SignIn } from "./sign-in.ts";

interface ResetDeps {
  readonly queue: Queue;
  readonly sealer: Sealer;
}

/**
 * Queues a password reset for an address. A job looks up whether the address has an account, so that neither the answer
 * nor its duration reveals it.
 */
export async function askForReset({ queue, sealer }: ResetDeps, email: string): Promise<void> {
  await queue.enqueue(null, "password-reset", sealJob(sealer, email));
  queue.wake("password-reset");
}

/** The job: sends a link if the address has an account, at most three per account and hour. */
export function resetSender(sealer: Sealer, signIn: SignIn, notifications: Notifications) {
  const resets = new FailureWindow(limits.signIn.resets);
  return async (job: SealedJob): Promise<void> => {
    const { internalAdapter } = await signIn.$context;
    const found = await internalAdapter.findUserByEmail(openJob(sealer, job));
    if (!found || resets.take(found.user.id) > 0) return;
    const token = randomToken(32);
    await internalAdapter.createVerificationValue({
      identifier: `reset-password:${token}`,
      value: found.user.id,
      expiresAt: dateAt(clock.nowMs() + limits.signIn.resetLifetimeMs),
    });
    await notifications.reset(found.user.email, token);
    notifications.post();
  };
}
