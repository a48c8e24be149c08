import type { AuditVerification } from "#contract/audit.ts";
import type { Authorized } from "#server/access/authorize.ts";
import type { Database } from "#server/db/client.ts";
import { clock, isoTime } from "#server/platform/clock.ts";
import { problemOf, sealFor, unsigned } from "./check.ts";
import { signatureStateOf } from "./signature.ts";

export interface BrokenRow {
  readonly orgId: string;
  /** The position in the organisation's chain, from 1. */
  readonly position: number;
  readonly problem: string;
}

export interface AuditVerdict {
  readonly organisations: number;
  readonly rows: number;
  /** The first invalid row of each chain. */
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
  readonly signature: string;
}

const noHead: Head = { position: 0, hash: "", signature: "" };

interface Part {
  /** The row before the first one that is verified. */
  readonly start?: Pick<Head, "position" | "hash"> | undefined;
  /** Rows that are added in the meantime are not verified. */
  readonly inUse?: true;
}

async function walk(
  database: Database,
  orgId: string,
  head: Head,
  { start, inUse }: Part = {},
): Promise<Walked> {
  const seal = sealFor(database);
  let before: Pick<Head, "position" | "hash"> = start ?? noHead;
  const broken = (at: number, problem: string): Walked => ({
    rows: before.position,
    problem: { orgId, position: at, problem },
  });
  for (;;) {
    const page = await database.prisma.audit_entry.findMany({
      where: { org_id: orgId, position: { gt: before.position, ...(inUse && { lte: head.position }) } },
      orderBy: [{ position: "asc" }, { id: "asc" }],
      take: pageRows,
    });
    for (const row of page) {
      const problem = problemOf(seal, row, before);
      if (problem !== null) return broken(before.position + 1, problem);
      before = row;
    }
    if (page.length < pageRows) break;
  }
  const outside = await database.prisma.audit_entry.count({ where: { org_id: orgId, position: { lt: 1 } } });
  if (outside > 0) return broken(0, `${outside} rows are outside the chain`);
  if (before.position !== head.position || before.hash !== head.hash)
    return broken(before.position + 1, "rows are missing at the end");
  const signatureState = signatureStateOf(seal, "head", { org_id: orgId, ...head });
  if (signatureState !== "holds")
    return broken(before.position + 1, `of the end of the chain, ${unsigned[signatureState]}`);
  return { rows: before.position, problem: null };
}

/** Verifies the chain of every organisation and returns the first invalid row of each. Changes nothing. */
export async function verifyAudit(database: Database): Promise<AuditVerdict> {
  const { prisma } = database;
  const heads = new Map((await prisma.audit_head.findMany()).map(({ org_id, ...head }) => [org_id, head]));
  const found = await prisma.audit_entry.findMany({ distinct: ["org_id"], select: { org_id: true } });
  const organisations = await prisma.organisation.findMany({ select: { id: true } });
  const known = new Set([
    ...heads.keys(),
    ...found.map(({ org_id }) => org_id),
    ...organisations.map(({ id }) => id),
  ]);
  let rows = 0;
  const broken: BrokenRow[] = [];
  for (const orgId of known) {
    const walked = await walk(database, orgId, heads.get(orgId) ?? noHead);
    rows += walked.rows;
    if (walked.problem) broken.push(walked.problem);
  }
  return { organisations: known.size, rows, broken };
}

/** Rows of one chain that a request verifies. */
const waitedRowsMax = 20_000;

/**
 * Verifies the newest rows of the caller's organisation, up to a bound; `npm run audit:verify` verifies all. Rows
 * that are added in the meantime are not verified.
 */
export async function verifyOwnAudit(
  database: Database,
  caller: Authorized<"audit:read", "organisation">,
): Promise<AuditVerification> {
  const { orgId } = caller;
  const { prisma } = database;
  const head = (await prisma.audit_head.findUnique({ where: { org_id: orgId } })) ?? noHead;
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
