import type { Database } from "#server/db/index.ts";

/** A change of a routing rule, as the audit log has it. */
interface RuleChange {
  readonly position: number;
  readonly at: string;
  readonly action: string;
  readonly actor_type: string;
  readonly actor_id: string | null;
  readonly before: unknown;
  readonly after: unknown;
}

/** What happened to a routing rule until the end of a period. */
export interface RuleHistory {
  readonly id: string;
  readonly name: string | null;
  /** The rule as it was when the period began; null if it did not exist. */
  readonly at_beginning: unknown;
  readonly changes_in_period: readonly RuleChange[];
  /** Whether it was enabled all the time, without a change. */
  readonly in_force_throughout: boolean;
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;

function historyOf(id: string, changes: readonly RuleChange[], from: string): RuleHistory {
  const [earlier, within] = [changes.filter(({ at }) => at < from), changes.filter(({ at }) => at >= from)];
  const atBeginning = earlier.at(-1)?.after ?? null;
  const latest = changes.at(-1);
  const name = fieldOf(latest?.after ?? latest?.before, "name");
  return {
    id,
    name: typeof name === "string" ? name : null,
    at_beginning: atBeginning,
    changes_in_period: within,
    in_force_throughout: within.length === 0 && fieldOf(atBeginning, "enabled") === true,
  };
}

/**
 * The routing rules of a period, from the audit log: those that existed when it began, and those that were created in
 * it. The audit log cannot be changed afterwards, so the answer is the same whenever it is asked for.
 */
export async function ruleHistories(
  { prisma }: Database,
  org_id: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<RuleHistory[]> {
  const entries = await prisma.audit_entry.findMany({
    where: { org_id, subject_type: "routing_rule", occurred_at: { lt: to } },
    orderBy: { position: "asc" },
  });
  const byRule = Map.groupBy(entries, ({ subject_id }) => subject_id);
  return [...byRule]
    .map(([id, rows]) => {
      const changes = rows.map(({ position, occurred_at, action, actor_type, actor_id, before, after }) => ({
        ...{ position, at: occurred_at.toISOString(), action, actor_type, actor_id, before, after },
      }));
      return historyOf(id, changes, from);
    })
    .filter((one) => one.at_beginning !== null || one.changes_in_period.length > 0)
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}
