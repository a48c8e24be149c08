import { randomBytes } from "node:crypto";
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";

const keyBytes = 32;

/** The key that seals what is stored, and whether it is on disk yet. */
export interface EncryptionKey {
  readonly key: Buffer;
  /** Where it has to be written before anything is sealed with it; null when it is there, or in the settings. */
  readonly unwrittenFile: string | null;
}

/**
 * The key in `dataDir`, or a new one where no installation is yet. Nothing is written. Throws a `RangeError` for a
 * file that holds no key.
 */
export function readEncryptionKey(dataDir: string): EncryptionKey {
  const file = join(dataDir, "encryption.key");
  const key = existsSync(file) ? Buffer.from(readFileSync(file, "utf8"), "base64") : null;
  if (key?.length === keyBytes) return { key, unwrittenFile: null };
  // Earlier versions could be killed between making the file and filling it: without a database nothing is sealed.
  if (key !== null && existsSync(join(dataDir, "database"))) {
    throw new RangeError(`${file} does not hold ${keyBytes} bytes in base64; restore it from a backup`);
  }
  return { key: randomBytes(keyBytes), unwrittenFile: file };
}

/** Writes a new key, all of it or nothing, and to the disk itself. The caller holds the lock of the directory. */
export function writeEncryptionKey(key: Buffer, file: string): void {
  const draft = `${file}.new`;
  const descriptor = openSync(draft, "w", 0o600);
  try {
    writeSync(descriptor, key.toString("base64"));
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(draft, file);
}
