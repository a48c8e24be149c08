import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { SubjectType } from "#contract/data-subjects.ts";

const ListedErasure = z.object({
  id: z.uuid(),
  org_id: z.uuid(),
  subject_type: SubjectType,
  subject_hash: z.string(),
  requests_until: z.iso.datetime(),
  created_by: z.uuid(),
  created_at: z.iso.datetime(),
});
/** What has to survive a restored backup: enough to find the subject again, and nothing that names them. */
export type ListedErasure = z.infer<typeof ListedErasure>;

const fileOf = (dataDir: string): string => join(dataDir, "erasures.jsonl");

interface ErasureList {
  readonly erasures: readonly ListedErasure[];
  /** Numbers of lines that are not erasures, such as one that a crash cut off. */
  readonly damagedLines: readonly number[];
}

/** The erasures that processes with this data directory did. */
export function readErasureList(dataDir: string): ErasureList {
  const erasures: ListedErasure[] = [];
  const damagedLines: number[] = [];
  const lines = existsSync(fileOf(dataDir)) ? readFileSync(fileOf(dataDir), "utf8").split("\n") : [];
  for (const [at, line] of lines.entries()) {
    if (line === "") continue;
    const erasure = parseLine(line);
    if (erasure === null) damagedLines.push(at + 1);
    else erasures.push(erasure);
  }
  return { erasures, damagedLines };
}

function parseLine(line: string): ListedErasure | null {
  try {
    return ListedErasure.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}

/** Adds an erasure to the list, once, and returns when it is on the disk. */
export function listErasure(dataDir: string, erasure: ListedErasure): void {
  const { erasures } = readErasureList(dataDir);
  if (erasures.some(({ id }) => id === erasure.id)) return;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const descriptor = openSync(fileOf(dataDir), "a", 0o600);
  try {
    // Begins with the end of a line, in case a crash cut the last one off.
    writeSync(descriptor, `\n${JSON.stringify(erasure)}\n`);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
