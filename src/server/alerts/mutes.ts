import type { Tx } from "#server/db/index.ts";
import { dateAt } from "#server/platform/clock.ts";

/** Subjects that rules say nothing new about, with the time until which. */
export class MutedSubjects {
  readonly #until = new Map<string, Date>();

  add(ruleId: string, subject: string, until: Date): void {
    this.#until.set(`${ruleId} ${subject}`, until);
  }

  has(ruleId: string, subject: string): boolean {
    return this.#until.has(`${ruleId} ${subject}`);
  }

  /** Until when a subject is muted; null if it is not. */
  until(ruleId: string, subject: string): string | null {
    return this.#until.get(`${ruleId} ${subject}`)?.toISOString() ?? null;
  }
}

/** The subjects that are muted now, of some rules or of all. */
export async function readMutes(tx: Tx, nowMs: number, ruleIds?: readonly string[]): Promise<MutedSubjects> {
  const muted = new MutedSubjects();
  const rows = await tx.alert_mute.findMany({
    where: { muted_until: { gt: dateAt(nowMs) }, ...(ruleIds && { rule_id: { in: [...ruleIds] } }) },
  });
  for (const { rule_id, subject, muted_until } of rows) muted.add(rule_id, subject, muted_until);
  return muted;
}

/** Sets until when a rule says nothing new about a subject; null: it is not muted any more. */
export async function writeMute(
  tx: Tx,
  { rule_id, subject }: { readonly rule_id: string; readonly subject: string },
  muted_until: string | null,
): Promise<void> {
  if (muted_until === null) await tx.alert_mute.deleteMany({ where: { rule_id, subject } });
  else
    await tx.alert_mute.upsert({
      where: { rule_id_subject: { rule_id, subject } },
      create: { rule_id, subject, muted_until },
      update: { muted_until },
    });
}

/** Deletes what mutes nothing any more. */
export async function purgeMutes(tx: Tx, nowMs: number): Promise<void> {
  await tx.alert_mute.deleteMany({ where: { muted_until: { lte: dateAt(nowMs) } } });
}
