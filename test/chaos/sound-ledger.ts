import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";

/** What `npm run audit:money -- --quiescent` says of a stopped gateway with these settings: every invariant holds. */
export function expectSoundLedger(settings: Record<string, string>): void {
  const { status, stdout } = spawnSync(process.execPath, ["src/server/audit-money.ts", "--quiescent"], {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    env: { ...process.env, ...settings },
    encoding: "utf8",
  });
  expect(stdout).toContain("holds ");
  expect(stdout).not.toContain("BROKEN");
  expect(status).toBe(0);
}
