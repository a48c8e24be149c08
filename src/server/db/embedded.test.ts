import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { expect, test, vi } from "vitest";
import { runInChild } from "#test/child.ts";
import { temporaryDirectory } from "#test/directories.ts";
import { startEmbedded } from "./embedded.ts";

async function query(connection: pg.ClientConfig, text: string): Promise<unknown[]> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

test("data is there after a restart on the same directory, and the buffers are small", async () => {
  const directory = join(temporaryDirectory(), "deep", "database");
  const first = await startEmbedded(directory);
  await query(first.connection, "create table t as select 42 as n");
  await first.close();
  expect(existsSync(first.connection.host ?? "")).toBe(false);
  const second = await startEmbedded(directory);
  expect(await query(second.connection, "select n from t")).toEqual([{ n: 42 }]);
  expect(await query(second.connection, "show shared_buffers")).toEqual([{ shared_buffers: "8MB" }]);
  await second.close();
}, 60_000);

test("a first start that was killed leaves no incomplete directory, and the next one succeeds", async () => {
  const directory = join(temporaryDirectory(), "database");
  const starting = runInChild(`
    import { startEmbedded } from "#server/db/index.ts";
    await startEmbedded(${JSON.stringify(directory)});
  `);
  await vi.waitFor(() => expect(existsSync(`${directory}.new`)).toBe(true), {
    timeout: 20_000,
    interval: 2,
  });
  await starting.kill();
  expect(existsSync(directory)).toBe(false);
  const embedded = await startEmbedded(directory);
  expect(existsSync(`${directory}.new`)).toBe(false);
  expect(await query(embedded.connection, "select 1 as one")).toEqual([{ one: 1 }]);
  await embedded.close();
}, 60_000);

test("a copy made from a dump has all data and shares nothing", async () => {
  const original = await startEmbedded(null);
  await query(original.connection, "create table t as select 1 as n");
  const image = join(temporaryDirectory(), "image.tar");
  writeFileSync(image, await original.dump());
  const copy = await startEmbedded(null, { image });
  await query(copy.connection, "update t set n = 2");
  expect(await query(original.connection, "select n from t")).toEqual([{ n: 1 }]);
  expect(await query(copy.connection, "select n from t")).toEqual([{ n: 2 }]);
  await Promise.all([original.close(), copy.close()]);
}, 60_000);
