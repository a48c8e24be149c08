import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import type { Database } from "#server/db/index.ts";
import { mintKey } from "#server/keys/index.ts";
import { loadConfig, SettingsError } from "#server/platform/env.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { silentLog } from "#server/platform/log.ts";
import { createSealer, sealedPrefix } from "#server/platform/sealing.ts";
import { sealedColumns } from "#server/secrets/sealed-columns.ts";
import { type Running, start } from "#server/start.ts";
import { directoryOfFile } from "#test/directories.ts";
import { createTestDatabase } from "#test/test-database.ts";
import { startOwnUpstream } from "./own-upstream.ts";

/** A large installation has some 10,000 sealed values. */
const stored = process.env.CHAOS === "long" ? 10_000 : 1_000;

const upstream = await startOwnUpstream();
const directory = directoryOfFile();
const catalogueFile = join(directory, "overlay.json");
writeFileSync(catalogueFile, JSON.stringify({ schema: "portolan-catalogue/1", ...upstream.overlay }));
const made = await createTestDatabase();
const key = mintKey("ptl");
const [first, second] = [randomBytes(32), randomBytes(32)];

let server: Running | undefined;
afterAll(async () => {
  await server?.stop();
  await made.close();
});

/** The whole server over the one database, with these keys, the first of which seals. What ran before is stopped. */
async function serve(present: Buffer, ...previous: Buffer[]): Promise<Running> {
  await server?.stop();
  server = undefined;
  const config = loadConfig({
    NODE_ENV: "test",
    PORT: "0",
    DATA_DIR: directory,
    DATABASE_URL: made.url,
    ADMIN_API_KEY: key,
    EXCHANGE_RATES_URL: "off",
    CATALOG_FILE: catalogueFile,
    ALLOW_PRIVATE_HOSTS: "127.0.0.1",
    ALLOW_PRIVATE_DESTINATIONS: "127.0.0.1",
    RATE_LIMIT_KEY: "1000000",
    SMTP_URL: "smtp://127.0.0.1:1",
    MAIL_FROM: "portolan@example.eu",
    PUBLIC_URL: "http://llm.example.eu",
    ENCRYPTION_KEY: present.toString("base64"),
    ENCRYPTION_KEY_PREVIOUS: previous.map((one) => one.toString("base64")).join(","),
  });
  server = await start(config, silentLog, () => {});
  return server;
}

async function ask({ origin }: Running, method: string, path: string, body?: object, headers = {}) {
  const response = await fetch(`${origin}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  expect([path, response.ok, text]).toEqual([path, true, text]);
  return text;
}

/** Columns of the whole database in which anything is sealed with a key, and how often. */
async function sealedWith({ prisma }: Database, of: Buffer): Promise<Record<string, number>> {
  const columns = await prisma.$queryRaw<{ table: string; column: string }[]>`
    select case table_schema when 'public' then table_name else table_schema || '.' || table_name end as table,
      column_name as column from information_schema.columns
    where data_type in ('text', 'jsonb') and (table_schema = 'public' or (table_schema, table_name) = ('jobs', 'job'))`;
  const prefix = sealedPrefix(createSealer([of]).keyIds[0]);
  const found: Record<string, number> = {};
  for (const { table, column } of columns) {
    const [row] = await prisma.$queryRawUnsafe<{ n: number }[]>(
      `select count(*)::int as n from ${table.replace(/\w+$/, '"$&"')} where position('${prefix}' in "${column}"::text) > 0`,
    );
    if (row?.n) found[`${table}.${column}`] = row.n;
  }
  return found;
}

const chat = { model: "own/chat", messages: [{ role: "user", content: "Hi" }] };
const reported = { model: "own/chat", input: "Say it.", store: true };
const answerOnce = (at: Running) =>
  ask(at, "POST", "/keys", { name: "Once" }, { "idempotency-key": "the-same" });
const idIn = (text: string, prefix = ""): string =>
  new RegExp(`"id":"(${prefix}[^"]+)"`).exec(text)?.[1] ?? "";

test(`the key is changed with ${stored} responses, a credential, a destination with traces, an alert channel, a mail, an erasure and a stored answer, without effect on requests`, {
  timeout: 120_000,
}, async () => {
  const old = await serve(first);
  await ask(old, "POST", "/byok", { provider: "own", name: "Ours", key: "sk-own-canary" });
  const config = { endpoint: "http://127.0.0.1:1", headers: { "x-secret": "canary" } };
  const destination = idIn(
    await ask(old, "POST", "/broadcast-destinations", { type: "otel-collector", name: "Dead", config }),
  );
  const hook = { type: "webhook", name: "Dead", address: "http://127.0.0.1:9/canary" };
  const channel = idIn(await ask(old, "POST", "/alert-channels", hook));
  const response = idIn(await ask(old, "POST", "/responses", reported), "resp_");
  const streamed = idIn(
    await ask(old, "POST", "/responses", { ...reported, background: true, stream: true }),
    "resp_",
  );
  const items = [{ role: "user", content: "Hello." }];
  const conversation = idIn(
    await ask(old, "POST", "/conversations", { items, metadata: { topic: "ports" } }),
    "conv_",
  );
  const messages = [{ role: "user", content: "Hello." }];
  const asked = { ...chat, messages, store: true, metadata: { topic: "rivers" } };
  const completion = idIn(await ask(old, "POST", "/chat/completions", asked), "gen-");
  const completed = await ask(old, "GET", `/chat/completions/${completion}`);
  const said = await ask(old, "GET", `/conversations/${conversation}/items`);
  const events = await ask(old, "GET", `/responses/${streamed}?stream=true`);
  const answer = await answerOnce(old);
  await ask(old, "POST", "/invitations", { email: "waiting@example.eu" });
  await ask(old, "POST", "/erasures", { end_user: "ada@example.eu", dry_run: false });
  await old.services.billing.drain();
  await old.services.responses.responseSpool.flushed();
  const { database, sealer } = old.services;
  const template = await database.prisma.stored_response.findFirstOrThrow({ where: { background: false } });
  const rows = Array.from({ length: stored }, () => {
    const id = uuidv7();
    const place = { table: "stored_response", column: "content", rowId: id, orgId: template.org_id };
    return { ...template, id, content: sealer.seal(JSON.stringify({ of: id }), place) };
  });
  await database.prisma.stored_response.createMany({ data: rows });
  // The table lists every column with sealed text, as found in the database.
  expect(Object.keys(await sealedWith(database, first)).sort()).toEqual(
    sealedColumns.map(({ table, column }) => `${table}.${column}`).sort(),
  );

  await expect(serve(second)).rejects.toThrow(SettingsError);

  const both = await serve(second, first);
  const begunMs = performance.now();
  let requests = 0;
  await vi.waitFor(
    async () => {
      await Promise.all([
        ask(both, "POST", "/chat/completions", chat),
        ask(both, "GET", `/responses/${response}`),
        ask(both, "GET", `/broadcast-destinations/${destination}`),
      ]);
      requests += 3;
      expect(await both.services.database.prisma.sealing_key.count()).toBe(1);
    },
    { timeout: 100_000, interval: 20 },
  );
  const tookMs = performance.now() - begunMs;
  expect(await sealedWith(both.services.database, first)).toEqual({});

  const alone = await serve(second);
  await ask(alone, "POST", "/chat/completions", chat);
  expect(idIn(await ask(alone, "GET", `/responses/${response}`))).toBe(response);
  expect(await ask(alone, "GET", `/responses/${streamed}?stream=true`)).toBe(events);
  expect(await answerOnce(alone)).toBe(answer);
  expect(await ask(alone, "GET", `/conversations/${conversation}`)).toContain("ports");
  expect(await ask(alone, "GET", `/conversations/${conversation}/items`)).toBe(said);
  expect(await ask(alone, "GET", `/chat/completions/${completion}`)).toBe(completed);
  const shown = JSON.parse(await ask(alone, "GET", `/broadcast-destinations/${destination}`)).data;
  expect(shown).toMatchObject({ name: "Dead", config: { headers: { "x-secret": expect.any(String) } } });
  // The address is read with the new key: nobody listens there.
  expect(await ask(alone, "POST", `/alert-channels/${channel}/test`)).toContain("The connection failed");
  console.log(
    `${stored} responses and the rest sealed anew within ${Math.round(tookMs)} ms of the start, ${requests} requests meanwhile, 0 failed`,
  );
});
