import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { ApiKey, CreatedKey } from "#contract/key.ts";
import { openDatabase } from "#server/db/index.ts";
import { sha256 } from "#server/platform/crypto.ts";
import { randomToken } from "#server/platform/ids.ts";
import { limits } from "#server/platform/limits.ts";
import { silentLog } from "#server/platform/log.ts";
import { createMetrics } from "#server/platform/metrics.ts";
import { createOrganisation } from "#test/factories.ts";
import { testSeal } from "#test/seal.ts";
import {
  authorizationClient,
  challenge,
  type Fields,
  invalidGrant,
  type Problem,
  verifier,
} from "./authorizing.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer();
const { send, post, services } = server;
const { database } = services;
const { codeOf, exchange, exchangeWithin, keyOf, statusOf } = authorizationClient(server);

/** Moves the use of a code so many seconds into the past, by the database's clock. */
const ago = (code: string, seconds: number) =>
  database.prisma.$executeRaw`
    update authorization_code set used_at = now() - make_interval(secs => ${seconds}) where digest = ${sha256(code)}`;

/** Failed exchanges over HTTP count against the address of this machine; those of `exchangeWithin` do not. */
const clearFailures = () => vi.spyOn(services.exchangeFailures, "waitMs").mockReturnValue(0);

describe("a code", () => {
  test.each(["/auth/keys/code", "/auth/keys/authorize"])(
    "of %s is exchanged for a key that works at once",
    async (path) => {
      const code = await codeOf({ key_label: "An app" }, { path });
      const response = await exchange({ code, code_verifier: verifier });
      expect(response.status).toBe(200);
      expect(response.headers.get("cache-control")).toBe("no-store");
      expect(response.headers.get("access-control-allow-origin")).toBe("*");
      const issued = (await response.json()) as { key: string; user_id: string };
      expect(Object.keys(issued).sort()).toEqual(["key", "user_id"]);
      expect(await statusOf(issued.key)).toBe(200);
      const me = (await (await send("GET", "/me", { key: issued.key })).json()) as { user_id: string };
      expect(me.user_id).toBe(issued.user_id);
    },
  );

  test("grants inference only: its key cannot make other keys", async () => {
    const key = await keyOf(await codeOf());
    expect((await post("/auth/keys/code", challenge, { key })).status).toBe(403);
    expect((await post("/keys", { name: "x" }, { key })).status).toBe(403);
    expect((await send("GET", "/routing-rules", { key })).status).toBe(403);
  });

  test("is stored as its digest and is in no audit entry", async () => {
    const code = await codeOf();
    const key = await keyOf(code);
    const rows = await database.prisma.authorization_code.findMany();
    const entries = await database.prisma.audit_entry.findMany();
    const text = JSON.stringify([rows, entries], (_, value) =>
      typeof value === "bigint" ? `${value}` : value,
    );
    expect(text).not.toContain(code);
    expect(text).not.toContain(key);
    expect(entries.map(({ action }) => action)).toContain("auth.code_created");
  });

  test("expires after ten minutes by the database's clock", async () => {
    const code = await codeOf();
    const row = await database.prisma.authorization_code.findUniqueOrThrow({
      where: { digest: sha256(code) },
    });
    expect(row.expires_at.getTime() - row.created_at.getTime()).toBe(limits.authorization.codeLifetimeMs);
    await database.prisma
      .$executeRaw`update authorization_code set expires_at = now() where id = ${row.id}::uuid`;
    await expect(exchangeWithin(code)).rejects.toEqual(invalidGrant);
  });

  test("exchanged again within ten seconds, with its verifier, returns the same key, which stays valid", async () => {
    const code = await codeOf();
    const key = await keyOf(code);
    await ago(code, 9);
    expect(await keyOf(code)).toBe(key);
    expect(await statusOf(key)).toBe(200);
  });

  test("exchanged again later is refused, and its key stops working within two seconds", async () => {
    clearFailures();
    const code = await codeOf();
    const key = await keyOf(code);
    expect(await statusOf(key)).toBe(200);
    await ago(code, 10);
    expect((await exchange({ code, code_verifier: verifier })).status).toBe(403);
    await vi.waitFor(async () => expect(await statusOf(key)).toBe(401), { timeout: 2000, interval: 50 });
    expect((await exchange({ code, code_verifier: verifier })).status).toBe(403);
  });

  test("exchanged again with a wrong verifier is treated as stolen: its key stops working for good", async () => {
    clearFailures();
    const code = await codeOf();
    const key = await keyOf(code);
    expect((await exchange({ code, code_verifier: randomToken(32) })).status).toBe(403);
    await vi.waitFor(async () => expect(await statusOf(key)).toBe(401), { timeout: 2000, interval: 50 });
    expect((await exchange({ code, code_verifier: verifier })).status).toBe(403);
  });

  test("whose answer was lost after the commit returns its key when it is exchanged again", async () => {
    const code = await codeOf({ key_label: "Lost" });
    const cutOff: typeof database = Object.assign(Object.create(database), {
      transaction: async (work: Parameters<typeof database.transaction>[0]) => {
        await database.transaction(work);
        throw new Error("Connection terminated unexpectedly");
      },
    });
    await expect(exchangeWithin(code, verifier, cutOff)).rejects.toThrow("Connection terminated");
    const { key } = await exchangeWithin(code);
    await services.refreshSnapshot();
    expect(await statusOf(key)).toBe(200);
    expect(await database.prisma.api_key.count({ where: { name: "Lost" } })).toBe(1);
  });

  test("leaves an answer that only code and verifier can open, for ten seconds", async () => {
    const code = await codeOf();
    const key = await keyOf(code);
    const where = { digest: sha256(code) };
    const {
      answer,
      id,
      org_id: orgId,
    } = await database.prisma.authorization_code.findUniqueOrThrow({ where });
    expect(answer).not.toContain(key);
    const place = { table: "authorization_code", column: "answer", rowId: id, orgId };
    expect(() => services.sealer.open(answer ?? "", place)).toThrow();
    await ago(code, 10);
    await keyOf(await codeOf());
    expect((await database.prisma.authorization_code.findUniqueOrThrow({ where })).answer).toBeNull();
  });

  test("is invalid after five wrong verifiers, not after four", async () => {
    const [four, five] = [await codeOf(), await codeOf()];
    for (let at = 0; at < 5; at++) {
      await expect(exchangeWithin(five, randomToken(32))).rejects.toEqual(invalidGrant);
      if (at < 4) await expect(exchangeWithin(four, randomToken(32))).rejects.toEqual(invalidGrant);
    }
    await expect(exchangeWithin(five)).rejects.toEqual(invalidGrant);
    expect((await exchangeWithin(four)).key).toMatch(/^ptl_/);
  });

  test("unknown, expired, used and altered codes get the same answer", async () => {
    clearFailures();
    const [expired, used, altered] = [await codeOf(), await codeOf(), await codeOf()];
    await keyOf(used);
    await ago(used, 10);
    await database.prisma.$executeRaw`
      update authorization_code set expires_at = now() where digest = ${sha256(expired)}`;
    const answers = await Promise.all([
      exchange({ code: randomToken(32), code_verifier: verifier }),
      exchange({ code: expired, code_verifier: verifier }),
      exchange({ code: used, code_verifier: verifier }),
      exchange({ code: altered, code_verifier: randomToken(32) }),
      exchange({ code: `${altered.slice(0, -1)}`, code_verifier: verifier }),
    ]);
    const bodies = await Promise.all(answers.map(async (answer) => ((await answer.json()) as Problem).error));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([403]));
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
    expect(bodies[0]).toMatchObject({ code: "FORBIDDEN", metadata: { oauth_error: "invalid_grant" } });
  });

  test("exchanged 200 times at once, over the pools of two processes, returns one key to all", async () => {
    const code = await codeOf({ key_label: "Raced" });
    const connection = { connectionString: services.config.DATABASE_URL };
    const second = openDatabase(connection, createMetrics(), silentLog, testSeal);
    onTestFinished(() => second.close());
    const results = await Promise.allSettled(
      Array.from({ length: 200 }, (_, at) =>
        exchangeWithin(code, verifier, at % 2 === 0 ? database : second),
      ),
    );
    // On a busy machine some time out; none is refused as if the code were invalid.
    for (const result of results)
      if (result.status === "rejected") expect(result.reason).not.toEqual(invalidGrant);
    const keys = results.flatMap((result) => (result.status === "fulfilled" ? [result.value.key] : []));
    const [key = "", ...others] = new Set(keys);
    expect([keys.length > 1, others]).toEqual([true, []]);
    await services.refreshSnapshot();
    expect(await statusOf(key)).toBe(200);
    expect(await database.prisma.api_key.count({ where: { name: "Raced" } })).toBe(1);
  });

  test("of a person who has left the organisation is invalid", async () => {
    const own = await createOrganisation(database);
    await services.refreshSnapshot();
    const code = await codeOf({}, { key: own.key });
    await database.prisma.member.deleteMany({ where: { user_id: own.userId } });
    await expect(exchangeWithin(code)).rejects.toEqual(invalidGrant);
  });
});

describe("a code becomes invalid with what it was made from", () => {
  const maker = async (body: Fields = {}) => {
    const permissions = ["inference:use", "keys:write"];
    return (await (await post("/keys", { name: "Maker", permissions, ...body })).json()) as CreatedKey;
  };

  test.each([
    [
      "disabled",
      (hash: string) => send("PATCH", `/keys/${hash}`, { body: JSON.stringify({ disabled: true }) }),
    ],
    ["deleted", (hash: string) => send("DELETE", `/keys/${hash}`)],
  ])("the key that requested it, though without a limit, is %s", async (_, end) => {
    const { key, data } = await maker();
    const code = await codeOf({}, { key });
    expect((await end(data.hash)).status).toBe(200);
    await expect(exchangeWithin(code)).rejects.toEqual(invalidGrant);
  });

  test("its workspace is deleted", async () => {
    const made = await post("/workspaces", { name: "Short-lived" });
    const { data } = (await made.json()) as { data: { id: string } };
    const code = await codeOf({ workspace_id: data.id });
    expect((await send("DELETE", `/workspaces/${data.id}`)).status).toBe(200);
    await expect(exchangeWithin(code)).rejects.toEqual(invalidGrant);
  });

  test("its key has no higher rate than the key that requested it", async () => {
    const { key } = await maker({ requests_per_minute: 20 });
    const issued = await keyOf(await codeOf({}, { key }));
    const { data } = (await (await send("GET", "/key", { key: issued })).json()) as { data: ApiKey };
    expect(data.requests_per_minute).toBe(20);
    const more = await post("/keys", { name: "More", requests_per_minute: 21 }, { key });
    expect([more.status, ((await more.json()) as Problem).error.param]).toEqual([403, "requests_per_minute"]);
  });
});

test("an issued key shows the application it was issued to, whatever its label; other keys show none", async () => {
  await keyOf(await codeOf({ key_label: "Labelled", callback_url: "https://app.example.eu:8443/back?x=1" }));
  await post("/keys", { name: "Made by hand" });
  const { data: list } = (await (await send("GET", "/keys")).json()) as { data: ApiKey[] };
  const hosts = new Map(list.map(({ name, app_host }) => [name, app_host]));
  expect([hosts.get("Labelled"), hosts.get("Made by hand")]).toEqual(["app.example.eu:8443", null]);
});
