import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import type { Erasure } from "#contract/data-subjects.ts";
import { generationIdOf } from "#contract/generation-id.ts";
import type { GenerationReceipt } from "#contract/transparency-log.ts";
import { connect } from "#server/composition/connect.ts";
import { openDatabase, rewriteTables } from "#server/db/index.ts";
import { mintKey } from "#server/keys/index.ts";
import { loadConfig } from "#server/platform/env.ts";
import { silentLog } from "#server/platform/log.ts";
import { createMetrics } from "#server/platform/metrics.ts";
import { Shutdown } from "#server/platform/shutdown.ts";
import { type Running, start } from "#server/start.ts";
import { directoryOfFile } from "#test/directories.ts";
import { testSeal } from "#test/seal.ts";
import { databaseKind } from "#test/test-database.ts";
import { readPublicKey, verifyReceipt } from "../../scripts/verify.mjs";

const root = directoryOfFile();
const [data, backup] = [join(root, "data"), join(root, "backup")];
const key = mintKey("ptl");
const config = () =>
  loadConfig({
    ...{ NODE_ENV: "test", PORT: "0", DATA_DIR: data, LOG_LEVEL: "silent", EXCHANGE_RATES_URL: "off" },
    ADMIN_API_KEY: key,
  });
const [ada, grace] = ["ada-canary@example.eu", "grace-canary@example.eu"];

const open: Running[] = [];
afterAll(() => Promise.all(open.map((running) => running.stop())));

async function serving<T>(work: (running: Running) => Promise<T>): Promise<T> {
  const running = await start(config(), silentLog, () => {});
  open.push(running);
  const result = await work(running);
  expect(await running.stop()).toBe(true);
  open.pop();
  return result;
}

async function ask<T>({ origin }: Running, method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(`${origin}/api/v1${path}`, {
    ...{ method, headers: { authorization: `Bearer ${key}`, "content-type": "application/json" } },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  expect(response.status, text).toBeLessThan(300);
  return JSON.parse(text) as T;
}

/** A stored response of an end user. Everything that names them has a canary. */
async function talk(running: Running, user: string): Promise<string> {
  const { id } = await ask<{ id: string }>(running, "POST", "/chat/completions", {
    ...{ model: "sandbox/chat", user, session_id: `session-${user}`, store: true, max_tokens: 8 },
    messages: [{ role: "user", content: `The secret of ${user}.` }],
  });
  await running.services.responses.completionSpool.flushed();
  await running.services.billing.drain();
  return generationIdOf(id) ?? "";
}

/** The files in the data directory that contain one of the texts. */
function filesWith(texts: readonly string[], directory = data): string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((name) => {
    const file = join(directory, name);
    if (!statSync(file).isFile()) return false;
    const bytes = readFileSync(file);
    return texts.some((text) => bytes.includes(text));
  });
}

/** `npm run database:rewrite`, in this process. */
async function rewrite(): Promise<void> {
  const shutdown = new Shutdown();
  const database = openDatabase(await connect(config(), shutdown), createMetrics(), silentLog, testSeal);
  shutdown.add("database", () => database.close());
  await rewriteTables(database, true);
  await shutdown.close(silentLog);
}

const finished = (running: Running, id: string) =>
  vi.waitFor(async () => {
    const { data } = await ask<{ data: Erasure }>(running, "GET", `/erasures/${id}`);
    expect(data.status).toBe("done");
    return data;
  }, 20_000);

const receiptOf = async (running: Running, id: string) => {
  await running.services.transparency.sequencer.run();
  const receipt = await ask<GenerationReceipt>(running, "GET", `/generations/${id}/receipt`);
  return verifyReceipt(
    receipt,
    receipt.public_keys.map((one) => readPublicKey(one)),
  );
};

// A directory can be copied and searched; the erasures themselves are tested with every database.
describe.runIf(databaseKind() === "pglite")("an erased end user", () => {
  test("is in no file after a rewrite, also when a backup from before is restored, and receipts verify", async () => {
    const { ids, sealed } = await serving(async (running) => {
      await ask(running, "PUT", "/tags", { tags: ["end_user"] });
      const ids = [await talk(running, ada), await talk(running, grace)] as const;
      const stored = await running.services.database.prisma.stored_completion.findMany({
        where: { id: ids[0] },
      });
      return { ids, sealed: stored.map(({ messages }) => `${messages}`.slice(20, 80)) };
    });
    expect(sealed).toHaveLength(1);
    const canaries = [ada, ...sealed];
    cpSync(data, backup, { recursive: true });
    expect(filesWith(canaries).some((name) => name.startsWith("database/"))).toBe(true);

    const erasure = await serving(async (running) => {
      const { data } = await ask<{ data: Erasure }>(running, "POST", "/erasures", {
        ...{ end_user: ada, dry_run: false, reference: "Case 17" },
      });
      return finished(running, data.id);
    });
    // The next start removes the spool of the one before.
    await serving(async () => {});
    await rewrite();
    // The queue has the subject encrypted for the repetition after a day.
    expect(filesWith(canaries)).toEqual([]);
    expect(filesWith([grace])).not.toEqual([]);

    const list = readFileSync(join(data, "erasures.jsonl"));
    rmSync(data, { recursive: true });
    cpSync(backup, data, { recursive: true });
    expect(filesWith(canaries)).not.toEqual([]);
    writeFileSync(join(data, "erasures.jsonl"), list);
    const again = await serving(async (running) => {
      const done = await finished(running, erasure.id);
      expect((await receiptOf(running, ids[0])).fields.user_reference).toBeUndefined();
      expect((await receiptOf(running, ids[1])).fields.user_reference).toBe(grace);
      return done;
    });
    expect(again).toMatchObject({
      repeated: true,
      counts: erasure.counts,
      subject_hash: erasure.subject_hash,
    });
    await serving(async () => {});
    await rewrite();
    expect(filesWith(canaries)).toEqual([]);
    expect(filesWith([grace])).not.toEqual([]);
  }, 120_000);
});
