import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "#server/db/index.ts";
import { lockDirectory } from "#server/platform/directory-lock.ts";
import { limits } from "#server/platform/limits.ts";
import type { Log } from "#server/platform/log.ts";
import { atAdmission } from "./admission.ts";
import type { BookingExtras } from "./book-generations.ts";
import { bookOrSetAside } from "./book-or-set-aside.ts";
import { closeLeases } from "./credit-leases.ts";
import { type ProgressRow, rowAt } from "./row-columns.ts";
import { openSetAside, type SetAside } from "./set-aside.ts";
import { readRecords, segmentFiles, type UnreadableLine } from "./spool-reader.ts";
import type { SpooledGeneration } from "./spool-record.ts";

/** A generation as its spool contains it: the newest complete record, and the newest mark after it. */
interface Told {
  readonly json: string;
  marked: number;
}

/** The contents of a spool directory: its generations, and unreadable lines with their segments. */
interface SpoolContents {
  readonly newest: ReadonlyMap<string, Told>;
  readonly unreadable: readonly { readonly segment: string; readonly line: UnreadableLine }[];
}

async function readSpool(directory: string): Promise<SpoolContents> {
  const newest = new Map<string, Told>();
  const unreadable: { segment: string; line: UnreadableLine }[] = [];
  for (const segment of segmentFiles(directory)) {
    const setAside = (line: UnreadableLine) => unreadable.push({ segment, line });
    for await (const { type, id, json } of readRecords(join(directory, segment), setAside)) {
      const known = newest.get(id);
      if (type !== "MARK") newest.set(id, { json, marked: 0 });
      else if (known) known.marked = Math.max(known.marked, Number(json));
    }
  }
  return { newest, unreadable };
}

/** Returns how many generations in the spools of a data directory are not in the database. */
export async function unbookedGenerations(database: Database, dataDir: string): Promise<number> {
  const root = join(dataDir, "spool");
  if (!existsSync(root)) return 0;
  const ids: string[] = [];
  for (const entry of readdirSync(root, { withFileTypes: true }))
    if (entry.isDirectory()) ids.push(...(await readSpool(join(root, entry.name))).newest.keys());
  const [row] = await database.prisma.$queryRaw<{ count: number }[]>`
    select count(*)::int as count from unnest(${ids}::uuid[]) as spooled (id)
    where not exists (select from generation where generation.id = spooled.id)`;
  return row?.count ?? 0;
}

async function replayDirectory(
  database: Database,
  directory: string,
  instanceId: string,
  extras: BookingExtras,
  setAside: SetAside,
): Promise<number> {
  const { newest, unreadable } = await readSpool(directory);
  const finished = [...newest.values()].map(({ json, marked }) => {
    // Only an ADMIT record leaves columns out.
    const { attached, ...told } = { ...atAdmission, ...JSON.parse(json) } as ProgressRow & SpooledGeneration;
    const row = rowAt(told, marked);
    const withIt = row.status === "interrupted" ? extras.outbox?.recover(row) : attached;
    return { instanceId, row, ...(withIt && { attached: withIt }) };
  });
  for (let at = 0; at < finished.length; at += limits.spool.flushRowsMax) {
    await bookOrSetAside(database, finished.slice(at, at + limits.spool.flushRowsMax), extras, setAside);
  }
  await closeLeases(database, instanceId);
  for (const { segment, line } of unreadable) setAside.unreadable({ instanceId, segment }, line);
  rmSync(directory, { recursive: true, force: true });
  return finished.length;
}

/**
 * Books what dead processes left in their spools under `root` and returns their leases. The directory of a running
 * process is skipped. Returns how many generations were found.
 */
export async function replaySpools(
  database: Database,
  root: string,
  log: Log,
  extras: BookingExtras = {},
  setAside: SetAside = openSetAside(root, log),
): Promise<number> {
  if (!existsSync(root)) return 0;
  let found = 0;
  for (const { name } of readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
    const directory = join(root, name);
    const lock = lockDirectory(directory);
    if (!lock) continue;
    try {
      found += await replayDirectory(database, directory, name, extras, setAside);
    } finally {
      lock.release();
    }
  }
  if (found > 0) log.info({ event: "replay", count: found }, "Generations of a stopped process were booked");
  return found;
}
