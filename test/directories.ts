import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder that is gone after the test that asked for it. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "portolan-test-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** The spool a process left behind when it died: its lines as they stood, complete or not. */
export function abandonedSpool(
  root: string,
  instanceId: string,
  text: string,
  file = "000001.spool",
): string {
  const directory = join(root, instanceId);
  mkdirSync(directory, { recursive: true });
  appendFileSync(join(directory, file), text);
  return directory;
}
