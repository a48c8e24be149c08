import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mintKey } from "#server/keys/format.ts";

/** Workers load this file too and get the values of the first load through the environment. */
function once(name: string, make: () => string): string {
  const made = process.env[name] ?? make();
  process.env[name] = made;
  return made;
}

/** Gone when the process ends that made it, which is after the server has stopped. */
function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "portolan-e2e-"));
  process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Differs between runs at the same time on one machine. */
const port = once("E2E_PORT", () => String(20_000 + (process.pid % 10_000)));

/** The installation under test: one process on an empty database of its own. */
export const installation = {
  origin: `http://127.0.0.1:${port}`,
  port,
  dataDir: once("E2E_DATA_DIR", temporaryDirectory),
  email: "admin@example.eu",
  password: "a password for tests only",
  apiKey: once("E2E_API_KEY", () => mintKey("ptl")),
};
