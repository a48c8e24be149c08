import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

export interface DirectoryLock {
  release(): void;
}

/**
 * Takes a directory for this process, or returns null when a live process has it.
 * The lock is SQLite's exclusive file lock: the kernel frees it when the holder dies, however it dies,
 * so there is no stale lock to judge and no process id to mistake.
 */
export function lockDirectory(directory: string): DirectoryLock | null {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const database = new DatabaseSync(join(directory, "lock.sqlite"), { timeout: 0 });
  try {
    database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (error instanceof Error && /locked/.test(error.message)) return null;
    throw error;
  }
  return { release: () => database.close() };
}
