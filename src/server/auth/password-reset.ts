import type { Letters } from "#server/accounts/index.ts";
import { openJob, type SealedJob, sealJob } from "#server/accounts/sealed-job.ts";
import type { Queue } from "#server/jobs/queue.ts";
import { clock, dateAt } from "#server/platform/clock.ts";
import { FailureWindow } from "#server/platform/failure-window.ts";
import { randomToken } from "#server/platform/ids.ts";
import { limits } from "#server/platform/limits.ts";
import type { Sealer } from "#server/platform/sealing.ts";
import type { SignIn } from "./sign-in.ts";

interface ResetParts {
  readonly queue: Queue;
  readonly sealer: Sealer;
}

/**
 * Notes that somebody asked for a new password for an address. Whether anybody has it is looked up by a job: neither
 * the answer nor its time tells.
 */
export async function askForReset({ queue, sealer }: ResetParts, email: string): Promise<void> {
  await queue.enqueue(null, "password-reset", sealJob(sealer, email));
  queue.wake("password-reset");
}

/** The job: makes a link and sends it when somebody has the address, three for an account and hour at most. */
export function resetSender(sealer: Sealer, signIn: SignIn, letters: Letters) {
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
    await letters.reset(found.user.email, token);
    letters.post();
  };
}
