import { z } from "zod";
import type { Tx } from "#server/db/index.ts";
import type { Queue } from "#server/jobs/queue.ts";
import { clock } from "#server/platform/clock.ts";
import type { Log } from "#server/platform/log.ts";
import { type Mailer, MailRefused } from "#server/platform/mailer.ts";
import type { Sealer } from "#server/platform/sealing.ts";
import { openJob, type SealedJob, sealJob } from "./sealed-job.ts";

const Mail = z.object({
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  /** When its link expires: afterwards it is not sent. */
  until_ms: z.number(),
});
export type Mail = z.infer<typeof Mail>;

/** Queues a mail, sealed: in the transaction, or immediately without one. */
export const queueMail = (
  { queue, sealer }: { readonly queue: Queue; readonly sealer: Sealer },
  tx: Tx | null,
  mail: Mail,
): Promise<unknown> => queue.enqueue(tx, "mail", sealJob(sealer, JSON.stringify(mail)));

/** The job: hands a mail to the mail server. Throws if it must be retried. */
export async function sendMail(
  { mailer, sealer, log }: { readonly mailer: Mailer | null; readonly sealer: Sealer; readonly log: Log },
  job: SealedJob,
): Promise<void> {
  const { until_ms, ...mail } = Mail.parse(JSON.parse(openJob(sealer, job)));
  if (until_ms < clock.nowMs()) {
    log.error({ event: "mail" }, "A mail could not be sent before its link expired and was dropped");
    return;
  }
  if (!mailer) throw new Error("No mail server is configured");
  try {
    await mailer.send(mail);
  } catch (error) {
    if (!(error instanceof MailRefused)) throw error;
    log.error({ event: "mail", error }, "The mail server permanently refused a mail");
  }
}
