import type pg from "pg";
import type { Database } from "#server/db/client.ts";
import type { Log } from "#server/platform/log.ts";
import type { RowSeal, SealState } from "#server/platform/row-seal.ts";
import { misplacement, sealFor } from "./check.ts";
import { signatureOf, signatureStateOf } from "./signature.ts";

const pageRows = 1000;

interface SignDeps {
  readonly database: Database;
  readonly log: Log;
  /** Invalid signatures that may be replaced: of rows from before signatures existed, or of a lost key. */
  readonly accepted: ReadonlySet<SealState>;
  readonly signal?: AbortSignal;
}

export interface Signed {
  /** Rows that got a new signature. */
  readonly rows: number;
  /** Organisations whose chain is not valid: from the first invalid row on, it was not changed. */
  readonly broken: readonly string[];
  /** False if it was interrupted. */
  readonly finished: boolean;
}

const isCurrent = (seal: RowSeal, signature: string): boolean => signature.startsWith(`${seal.keyIds[0]}.`);

const signRows = `
  update audit_entry as t set signature = given.signature
  from unnest($1::bigint[], $2::text[]) as given (id, signature) where t.id = given.id`;

/** Signs the end of a chain again, if it is valid or may be accepted unchecked. */
async function signHead({ database, accepted }: SignDeps, seal: RowSeal, orgId: string): Promise<boolean> {
  return database.batch(async (client: pg.ClientBase) => {
    const { rows } = await client.query<{ position: number; hash: string; signature: string }>(
      "select position, hash, signature from audit_head where org_id = $1::uuid for update",
      [orgId],
    );
    const [head] = rows;
    if (!head || isCurrent(seal, head.signature)) return true;
    const place = { org_id: orgId, position: head.position, hash: head.hash };
    const signatureState = signatureStateOf(seal, "head", { ...place, signature: head.signature });
    if (signatureState !== "holds" && !accepted.has(signatureState)) return false;
    const last = await client.query(
      "select from audit_entry where org_id = $1::uuid and position = $2 and hash = $3",
      [orgId, head.position, head.hash],
    );
    if (head.position > 0 && last.rowCount !== 1) return false;
    await client.query("update audit_head set signature = $2 where org_id = $1::uuid", [
      orgId,
      signatureOf(seal, "head", place),
    ]);
    return true;
  });
}

/** Signs a chain up to its end or to the first invalid row. */
async function signChain(
  deps: SignDeps,
  seal: RowSeal,
  orgId: string,
): Promise<{ rows: number; holds: boolean }> {
  const { database, accepted, signal } = deps;
  let before = { position: 0, hash: "" };
  let rows = 0;
  while (!signal?.aborted) {
    const page = await database.prisma.audit_entry.findMany({
      where: { org_id: orgId, position: { gt: before.position } },
      orderBy: [{ position: "asc" }, { id: "asc" }],
      take: pageRows,
    });
    const ids: string[] = [];
    const signatures: string[] = [];
    let holds = true;
    for (const row of page) {
      const signatureState = signatureStateOf(seal, "row", row);
      holds =
        misplacement(row, before) === null && (signatureState === "holds" || accepted.has(signatureState));
      if (!holds) break;
      before = { position: row.position, hash: row.hash };
      if (isCurrent(seal, row.signature)) continue;
      ids.push(String(row.id));
      signatures.push(signatureOf(seal, "row", row));
    }
    if (ids.length > 0) await database.statement(signRows, [ids, signatures]);
    rows += ids.length;
    if (!holds) return { rows, holds };
    if (page.length < pageRows) return { rows, holds: await signHead(deps, seal, orgId) };
  }
  return { rows, holds: true };
}

/**
 * Signs with the current key every row of the audit log that is valid and signed with an earlier key, or may be
 * accepted without a signature. Invalid rows are logged and not changed, because a signature would not make them
 * valid.
 */
export async function signAuditLog(deps: SignDeps): Promise<Signed> {
  const { database, log, signal } = deps;
  const seal = sealFor(database);
  const heads = await database.prisma.audit_head.findMany({ select: { org_id: true } });
  const broken: string[] = [];
  let rows = 0;
  for (const { org_id: orgId } of heads) {
    const signed = await signChain(deps, seal, orgId);
    rows += signed.rows;
    if (signed.holds) continue;
    broken.push(orgId);
    log.error(
      { event: "audit" },
      `The audit log of the organisation ${orgId} is not valid. Run npm run audit:verify`,
    );
  }
  return { rows, broken, finished: !signal?.aborted };
}
