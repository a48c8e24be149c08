import { readFileSync } from "node:fs";
import { afterAll, expect, vi } from "vitest";

// Test files of one process share their modules. A file that mocks one loads all of them again, and leaves none behind.
const { testPath = "" } = expect.getState();
if (readFileSync(testPath, "utf8").includes("vi.mock(")) {
  vi.resetModules();
  afterAll(() => {
    vi.resetModules();
  });
}
