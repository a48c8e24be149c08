import { createReadStream, existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Database } from "#server/db/index.ts";
import { lockDirectory } from "#server/platform/directory-lock.ts";
import { limits } from "#server/platform/limits.ts";
import type { Log } from "#server/platform/log.ts";
import { closeLeases } from "./credit-leases.ts";
import type { GenerationRow } from "./generation-row.ts";
import { settleRows } from "./settle-rows.ts";
import { decodeRecord } from "./spool-record.ts";

/** The newest row of every generation in a spool directory. A torn last line is what a crash leaves; it is skipped. */
async function readSpool(directory: string, log: Log): Promise<Map<string, string>> {
  const newest = new Map<string, string>();
  for (const file of readdirSync(directory)
    .filter((name) => name.endsWith(".spool"))
    .sort()) {
    for await (const line of createInterface({
      input: createReadStream(join(directory, file)),
      crlfDelay: 0,
    })) {
      const entry = decodeRecord(line);
      if (entry) newest.set(entry.id, entry.json);
      else log.warn({ event: "replay", reason: file }, "A spool line is torn and was skipped");
    }
  }
  return newest;
}

async function replayDirectory(
  database: Database,
  directory: string,
  instanceId: string,
  log: Log,
): Promise<number> {
  const newest = await readSpool(directory, log);
  const finished = [...newest.values()].map((json) => ({
    instanceId,
    row: JSON.parse(json) as GenerationRow,
  }));
  for (let at = 0; at < finished.length; at += limits.spool.flushRowsMax) {
    await settleRows(database, finished.slice(at, at + limits.spool.flushRowsMax));
  }
  await closeLeases(database, instanceId);
  rmSync(directory, { recursive: true, force: true });
  return finished.length;
}

/**
 * Books what processes that died left in their spools under `root` and returns their leases. A directory whose
 * owner lives is left alone. Returns how many generations were found.
 */
export async function replaySpools(database: Database, root: string, log: Log): Promise<number> {
  if (!existsSync(root)) return 0;
  let found = 0;
  for (const { name } of readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
    const directory = join(root, name);
    const lock = lockDirectory(directory);
    if (!lock) continue;
    try {
      found += await replayDirectory(database, directory, name, log);
    } finally {
      lock.release();
    }
  }
  if (found > 0) log.info({ event: "replay", count: found }, "Generations of a stopped process were booked");
  return found;
}
