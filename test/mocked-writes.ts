import type fs from "node:fs";
import { vi } from "vitest";

/** `node:fs` whose writes a test can replace. Imports nothing of it, so that a factory of `vi.mock` can use this. */
export function mockedWrites(actual: typeof fs) {
  const writeSync = vi.fn(actual.writeSync);
  const fdatasync = vi.fn(actual.fdatasync);
  return { ...actual, writeSync, fdatasync, default: { ...actual, writeSync, fdatasync } };
}
