import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadConfig, SettingsError } from "#server/platform/env.ts";
import { silentLog } from "#server/platform/log.ts";
import { start } from "#server/start.ts";
import { temporaryDirectory } from "#test/directories.ts";
import { databaseKind } from "#test/test-database.ts";

const configFor = (directory: string) =>
  loadConfig({ NODE_ENV: "test", PORT: "0", DATA_DIR: directory, LOG_LEVEL: "silent" });

async function startIn(directory: string) {
  let said = "";
  const running = await start(configFor(directory), silentLog, (text) => {
    said += text;
  });
  return { running, said };
}

// With a server's database there is no directory to share: this is about the embedded one.
describe.runIf(databaseKind() === "pglite")("with only a data directory", () => {
  test("the first start prints a working key, a second process is refused, the next start has all data", async () => {
    const directory = join(temporaryDirectory(), "data");
    const first = await startIn(directory);
    const key = /API key\s+(\S+)/.exec(first.said)?.[1] ?? "";
    expect(first.said).toContain(`curl ${first.running.origin}/api/v1/chat/completions`);
    const ask = (origin: string) =>
      fetch(`${origin}/api/v1/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "sandbox/chat", prompt: "Say hello to Europe.", max_tokens: 32 }),
      });
    const answer = (await (await ask(first.running.origin)).json()) as {
      usage: { cost_eur: number };
      provider: string;
    };
    expect(answer.usage.cost_eur).toBeGreaterThan(0);
    expect(answer.provider).toMatch(/^Sandbox/);

    await expect(startIn(directory)).rejects.toThrow(SettingsError);
    await expect(startIn(directory)).rejects.toThrow(/in use by another Portolan process/);

    expect(await first.running.stop()).toBe(true);
    const stored = readdirSync(join(directory, "spool"));
    const second = await startIn(directory);
    // The spool of the first one was retained until the next start, which found all of it booked (ADR 13).
    expect(readdirSync(join(directory, "spool"))).not.toEqual(expect.arrayContaining(stored));
    expect(second.said).not.toContain("API key");
    expect((await ask(second.running.origin)).status).toBe(200);
    await second.running.services.billing.drain();
    expect(await second.running.services.database.prisma.generation.count()).toBe(2);
    expect(await second.running.stop()).toBe(true);
  }, 120_000);
});
