import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished } from "vitest";

const make = (): string => mkdtempSync(join(tmpdir(), "portolan-test-"));
const remove = (directory: string): void => rmSync(directory, { recursive: true, force: true });

/** A folder that is gone after the test that asked for it. */
export function temporaryDirectory(): string {
  const directory = make();
  onTestFinished(() => remove(directory));
  return directory;
}

/** A folder that is gone after the last test of the file; ask for it outside of tests. */
export function directoryOfFile(): string {
  const directory = make();
  afterAll(() => remove(directory));
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
