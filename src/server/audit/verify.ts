import type { AuditVerification } from "#contract/audit.ts";
import { demand } from "#server/auth/caller.ts";
import type { OrganisationCaller } from "#server/auth/scope.ts";
import type { Database } from "#server/db/client.ts";
import { clock, isoTime } from "#server/platform/clock.ts";
import { entryHash } from "./chain.ts";

export interface BrokenRow {
  readonly orgId: string;
  /** Where in the organisation's chain, from 1. */
  readonly position: number;
  readonly problem: string;
}

export interface AuditVerdict {
  readonly organisations: number;
  readonly rows: number;
  /** The first row of each chain that does not hold. */
  readonly broken: readonly BrokenRow[];
}

const pageRows = 1000;

interface Walked {
  readonly rows: number;
  readonly problem: BrokenRow | null;
}

interface Head {
  readonly position: number;
  readonly hash: string;
}

interface Part {
  /** The row before the first one that is walked. */
  readonly start?: Head | undefined;
  /** Rows come in while it is walked: those after the head are left alone. */
  readonly inUse?: true;
}

async function walk(
  database: Database,
  orgId: string,
  head: Head,
  { start = { position: 0, hash: "" }, inUse }: Part = {},
): Promise<Walked> {
  let { position, hash: previous } = start;
  const broken = (at: number, problem: string): Walked => ({
    rows: position,
    problem: { orgId, position: at, problem },
  });
  for (;;) {
    const page = await database.prisma.audit_entry.findMany({
      where: { org_id: orgId, position: { gt: position, ...(inUse && { lte: head.position }) } },
      orderBy: [{ position: "asc" }, { id: "asc" }],
      take: pageRows,
    });
    for (const row of page) {
      const expected = position + 1;
      if (row.position !== expected) return broken(expected, "the row is missing or stands twice");
      if (row.previous_hash !== previous)
        return broken(expected, "it does not carry the hash of the row before");
      const hash = entryHash({ ...row, occurred_at: row.occurred_at.toISOString() });
      if (row.hash !== hash) return broken(expected, "it was changed after it was written");
      position = expected;
      previous = hash;
    }
    if (page.length < pageRows) break;
  }
  const outside = await database.prisma.audit_entry.count({ where: { org_id: orgId, position: { lt: 1 } } });
  if (outside > 0) return broken(0, `${outside} rows stand outside the chain`);
  if (position !== head.position || previous !== head.hash) {
    return broken(position + 1, "rows are missing at the end");
  }
  return { rows: position, problem: null };
}

/** Walks the chain of every organisation and names the first row of each that does not hold. Changes nothing. */
export async function verifyAudit(database: Database): Promise<AuditVerdict> {
  const heads = new Map(
    (await database.prisma.audit_head.findMany()).map(({ org_id, position, hash }) => [
      org_id,
      { position, hash },
    ]),
  );
  const found = await database.prisma.audit_entry.findMany({
    distinct: ["org_id"],
    select: { org_id: true },
  });
  for (const { org_id } of found) if (!heads.has(org_id)) heads.set(org_id, { position: 0, hash: "" });
  let rows = 0;
  const broken: BrokenRow[] = [];
  for (const [orgId, head] of heads) {
    const walked = await walk(database, orgId, head);
    rows += walked.rows;
    if (walked.problem) broken.push(walked.problem);
  }
  return { organisations: heads.size, rows, broken };
}

/** Rows of one chain that are walked while somebody waits for it. */
const waitedRowsMax = 20_000;

/**
 * Walks the newest rows of the caller's organisation, all of them up to a bound; `npm run audit:verify` walks
 * every row. Rows that are written meanwhile are not looked at.
 */
export async function verifyOwnAudit(
  database: Database,
  caller: OrganisationCaller | null,
): Promise<AuditVerification> {
  const { orgId } = demand(caller, "audit:read");
  const { prisma } = database;
  const head = (await prisma.audit_head.findUnique({ where: { org_id: orgId } })) ?? {
    position: 0,
    hash: "",
  };
  const from = Math.max(0, head.position - waitedRowsMax);
  const before =
    from === 0
      ? null
      : await prisma.audit_entry.findFirst({
          where: { org_id: orgId, position: from },
          select: { position: true, hash: true },
        });
  const missing = from > 0 && before === null;
  const { rows, problem } = missing
    ? { rows: from, problem: { position: from, problem: "the row is missing" } }
    : await walk(database, orgId, head, { start: before ?? undefined, inUse: true });
  return {
    rows: head.position,
    rows_holding: rows - from,
    first_checked: from + 1,
    broken: problem && { position: problem.position, problem: problem.problem },
    checked_at: isoTime(clock.nowMs()),
  };
}
