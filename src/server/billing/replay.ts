import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "#server/db/index.ts";
import { lockDirectory } from "#server/platform/directory-lock.ts";
import { limits } from "#server/platform/limits.ts";
import { type Log, silentLog } from "#server/platform/log.ts";
import { bookRows, openRefusedRows, type RefusedRows } from "./book-rows.ts";
import { closeLeases } from "./credit-leases.ts";
import { type ProgressRow, rowAt } from "./row-columns.ts";
import type { Outbox } from "./settle-rows.ts";
import { readRecords, segmentFiles } from "./spool-reader.ts";
import type { SpooledGeneration } from "./spool-record.ts";

/** A generation as its spool tells it: the newest whole record, and the newest mark after it. */
interface Told {
  readonly json: string;
  marked: number;
}

/** Every generation of a spool directory. A torn last line is what a crash leaves; it is skipped. */
async function readSpool(directory: string, log: Log): Promise<Map<string, Told>> {
  const newest = new Map<string, Told>();
  for (const file of segmentFiles(directory)) {
    const torn = () => log.warn({ event: "replay", reason: file }, "A spool line is torn and was skipped");
    for await (const { type, id, json } of readRecords(join(directory, file), torn)) {
      const known = newest.get(id);
      if (type !== "MARK") newest.set(id, { json, marked: 0 });
      else if (known) known.marked = Math.max(known.marked, Number(json));
    }
  }
  return newest;
}

/** How many generations the spools under a data directory hold that the database lacks. */
export async function unbookedGenerations(database: Database, dataDir: string): Promise<number> {
  const root = join(dataDir, "spool");
  if (!existsSync(root)) return 0;
  const ids: string[] = [];
  for (const entry of readdirSync(root, { withFileTypes: true }))
    if (entry.isDirectory()) ids.push(...(await readSpool(join(root, entry.name), silentLog)).keys());
  const [row] = await database.prisma.$queryRaw<{ count: number }[]>`
    select count(*)::int as count from unnest(${ids}::uuid[]) as spooled (id)
    where not exists (select from generation where generation.id = spooled.id)`;
  return row?.count ?? 0;
}

async function replayDirectory(
  database: Database,
  directory: string,
  instanceId: string,
  log: Log,
  outbox: Outbox | null,
  refused: RefusedRows,
): Promise<number> {
  const newest = await readSpool(directory, log);
  const finished = [...newest.values()].map(({ json, marked }) => {
    const { attached, ...told } = JSON.parse(json) as ProgressRow & SpooledGeneration;
    const row = rowAt(told, marked);
    const withIt = row.status === "interrupted" ? outbox?.recover(row) : attached;
    return { instanceId, row, ...(withIt && { attached: withIt }) };
  });
  for (let at = 0; at < finished.length; at += limits.spool.flushRowsMax) {
    await bookRows(database, finished.slice(at, at + limits.spool.flushRowsMax), outbox, refused);
  }
  await closeLeases(database, instanceId);
  rmSync(directory, { recursive: true, force: true });
  return finished.length;
}

/**
 * Books what processes that died left in their spools under `root` and returns their leases. A directory whose
 * owner lives is left alone. Returns how many generations were found.
 */
export async function replaySpools(
  database: Database,
  root: string,
  log: Log,
  outbox: Outbox | null = null,
  refused: RefusedRows = openRefusedRows(root, log),
): Promise<number> {
  if (!existsSync(root)) return 0;
  let found = 0;
  for (const { name } of readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
    const directory = join(root, name);
    const lock = lockDirectory(directory);
    if (!lock) continue;
    try {
      found += await replayDirectory(database, directory, name, log, outbox, refused);
    } finally {
      lock.release();
    }
  }
  if (found > 0) log.info({ event: "replay", count: found }, "Generations of a stopped process were booked");
  return found;
}
