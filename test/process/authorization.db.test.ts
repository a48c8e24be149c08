import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { ApiKey, CreatedKey } from "#contract/key.ts";
import { openDatabase } from "#server/db/index.ts";
import { exchangeCode } from "#server/keys/index.ts";
import { sha256 } from "#server/platform/crypto.ts";
import { randomToken } from "#server/platform/ids.ts";
import { limits } from "#server/platform/limits.ts";
import { silentLog } from "#server/platform/log.ts";
import { createMetrics } from "#server/platform/metrics.ts";
import { createOrganisation } from "#test/factories.ts";
import { testSeal } from "#test/seal.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer();
const { send, post, services } = server;
const { database } = services;
const callback_url = "https://app.example.eu/callback?x=a%20b";

type Body = Record<string, unknown>;
interface Problem {
  readonly error: { code: string; message: string; param: string | null; metadata: Body };
}

const verifier = randomToken(32);
const challenge = { callback_url, code_challenge: sha256(verifier), code_challenge_method: "S256" };

async function codeOf(body: Body = {}, options: { path?: string; key?: string } = {}): Promise<string> {
  const { path = "/auth/keys/code", key } = options;
  const response = await post(path, { ...challenge, ...body }, key ? { key } : {});
  expect(response.status).toBe(200);
  expect(response.headers.get("cache-control")).toBe("no-store");
  const made = (await response.json()) as { code: string; created_at: string };
  expect(Object.keys(made).sort()).toEqual(["code", "created_at"]);
  expect(made.code).toMatch(/^[\w-]{43}$/);
  return made.code;
}

const exchange = (body: Body) => post("/auth/keys", body, { key: null });
const exchangeWithin = (code: string, code_verifier = verifier, at = database) =>
  exchangeCode(at, "ptl", { code, code_verifier });

/** Makes a code be used so many seconds earlier, by the database's clock. */
const ago = (code: string, seconds: number) =>
  database.prisma.$executeRaw`
    update authorization_code set used_at = now() - make_interval(secs => ${seconds}) where digest = ${sha256(code)}`;

async function keyOf(code: string): Promise<string> {
  const response = await exchange({ code, code_verifier: verifier });
  expect(response.status).toBe(200);
  return ((await response.json()) as { key: string }).key;
}

const asked = { model: "sandbox/chat", prompt: "x", max_tokens: 1 };
const statusOf = async (key: string) => (await post("/completions", asked, { key })).status;
const invalidGrant = expect.objectContaining({
  code: "FORBIDDEN",
  metadata: { oauth_error: "invalid_grant" },
});

/** Exchanges that fail over HTTP count against this machine's address; those of the verb do not. */
const clearFailures = () => vi.spyOn(services.exchangeFailures, "waitMs").mockReturnValue(0);

describe("a code", () => {
  test.each(["/auth/keys/code", "/auth/keys/authorize"])(
    "of %s brings a key that works at once",
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

  test("brings inference rights only: the key cannot make others", async () => {
    const key = await keyOf(await codeOf());
    expect((await post("/auth/keys/code", challenge, { key })).status).toBe(403);
    expect((await post("/keys", { name: "x" }, { key })).status).toBe(403);
    expect((await send("GET", "/routing-rules", { key })).status).toBe(403);
  });

  test("is stored as its digest and stands in no audit row", async () => {
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

  test("lives ten minutes by the database's clock", async () => {
    const code = await codeOf();
    const row = await database.prisma.authorization_code.findUniqueOrThrow({
      where: { digest: sha256(code) },
    });
    expect(row.expires_at.getTime() - row.created_at.getTime()).toBe(limits.authorization.codeLifetimeMs);
    await database.prisma
      .$executeRaw`update authorization_code set expires_at = now() where id = ${row.id}::uuid`;
    await expect(exchangeWithin(code)).rejects.toEqual(invalidGrant);
  });

  test("that comes again within ten seconds, with its verifier, brings the same key, which goes on", async () => {
    const code = await codeOf();
    const key = await keyOf(code);
    await ago(code, 9);
    expect(await keyOf(code)).toBe(key);
    expect(await statusOf(key)).toBe(200);
  });

  test("that comes again later is refused, and its key stops within two seconds", async () => {
    clearFailures();
    const code = await codeOf();
    const key = await keyOf(code);
    expect(await statusOf(key)).toBe(200);
    await ago(code, 10);
    expect((await exchange({ code, code_verifier: verifier })).status).toBe(403);
    await vi.waitFor(async () => expect(await statusOf(key)).toBe(401), { timeout: 2000, interval: 50 });
    expect((await exchange({ code, code_verifier: verifier })).status).toBe(403);
  });

  test("that comes again with a wrong verifier is in strange hands: its key stops, and comes back for nobody", async () => {
    clearFailures();
    const code = await codeOf();
    const key = await keyOf(code);
    expect((await exchange({ code, code_verifier: randomToken(32) })).status).toBe(403);
    await vi.waitFor(async () => expect(await statusOf(key)).toBe(401), { timeout: 2000, interval: 50 });
    expect((await exchange({ code, code_verifier: verifier })).status).toBe(403);
  });

  test("whose answer was lost after it was committed brings its key when it is asked for again", async () => {
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

  test("leaves an answer that only who brings code and verifier can read, and for ten seconds", async () => {
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

  test("is burnt by five wrong verifiers, not by four", async () => {
    const [four, five] = [await codeOf(), await codeOf()];
    for (let at = 0; at < 5; at++) {
      await expect(exchangeWithin(five, randomToken(32))).rejects.toEqual(invalidGrant);
      if (at < 4) await expect(exchangeWithin(four, randomToken(32))).rejects.toEqual(invalidGrant);
    }
    await expect(exchangeWithin(five)).rejects.toEqual(invalidGrant);
    expect((await exchangeWithin(four)).key).toMatch(/^ptl_/);
  });

  test("unknown, expired, used and strange codes get the same answer", async () => {
    clearFailures();
    const [expired, used, strange] = [await codeOf(), await codeOf(), await codeOf()];
    await keyOf(used);
    await ago(used, 10);
    await database.prisma.$executeRaw`
      update authorization_code set expires_at = now() where digest = ${sha256(expired)}`;
    const answers = await Promise.all([
      exchange({ code: randomToken(32), code_verifier: verifier }),
      exchange({ code: expired, code_verifier: verifier }),
      exchange({ code: used, code_verifier: verifier }),
      exchange({ code: strange, code_verifier: randomToken(32) }),
      exchange({ code: `${strange.slice(0, -1)}`, code_verifier: verifier }),
    ]);
    const bodies = await Promise.all(answers.map(async (answer) => ((await answer.json()) as Problem).error));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([403]));
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
    expect(bodies[0]).toMatchObject({ code: "FORBIDDEN", metadata: { oauth_error: "invalid_grant" } });
  });

  test("exchanged 200 times at once, over the pools of two processes, brings all of them one key", async () => {
    const code = await codeOf({ key_label: "Raced" });
    const connection = { connectionString: services.config.DATABASE_URL };
    const second = openDatabase(connection, createMetrics(), silentLog, testSeal);
    onTestFinished(() => second.close());
    const results = await Promise.allSettled(
      Array.from({ length: 200 }, (_, at) =>
        exchangeWithin(code, verifier, at % 2 === 0 ? database : second),
      ),
    );
    // A machine that is very busy lets some wait in vain; none is told that the code is not good.
    for (const result of results)
      if (result.status === "rejected") expect(result.reason).not.toEqual(invalidGrant);
    const keys = results.flatMap((result) => (result.status === "fulfilled" ? [result.value.key] : []));
    const [key = "", ...others] = new Set(keys);
    expect([keys.length > 1, others]).toEqual([true, []]);
    await services.refreshSnapshot();
    expect(await statusOf(key)).toBe(200);
    expect(await database.prisma.api_key.count({ where: { name: "Raced" } })).toBe(1);
  });

  test("of a person who has left the organisation is worth nothing", async () => {
    const own = await createOrganisation(database);
    await services.refreshSnapshot();
    const code = await codeOf({}, { key: own.key });
    await database.prisma.member.deleteMany({ where: { user_id: own.userId } });
    await expect(exchangeWithin(code)).rejects.toEqual(invalidGrant);
  });
});

describe("a code ends with what it was made from", () => {
  const maker = async (body: Body = {}) => {
    const permissions = ["inference:use", "keys:write"];
    return (await (await post("/keys", { name: "Maker", permissions, ...body })).json()) as CreatedKey;
  };

  test.each([
    [
      "disabled",
      (hash: string) => send("PATCH", `/keys/${hash}`, { body: JSON.stringify({ disabled: true }) }),
    ],
    ["deleted", (hash: string) => send("DELETE", `/keys/${hash}`)],
  ])("the key that asked for it, though without a limit, is %s", async (_, end) => {
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

  test("and its key asks no more often than its maker", async () => {
    const { key } = await maker({ requests_per_minute: 20 });
    const issued = await keyOf(await codeOf({}, { key }));
    const { data } = (await (await send("GET", "/key", { key: issued })).json()) as { data: ApiKey };
    expect(data.requests_per_minute).toBe(20);
    const more = await post("/keys", { name: "More", requests_per_minute: 21 }, { key });
    expect([more.status, ((await more.json()) as Problem).error.param]).toEqual([403, "requests_per_minute"]);
  });
});

test("an issued key tells the application it was issued to, whatever its label; a key somebody made tells none", async () => {
  await keyOf(await codeOf({ key_label: "Labelled", callback_url: "https://app.example.eu:8443/back?x=1" }));
  await post("/keys", { name: "Made by hand" });
  const { data: list } = (await (await send("GET", "/keys")).json()) as { data: ApiKey[] };
  const hosts = new Map(list.map(({ name, app_host }) => [name, app_host]));
  expect([hosts.get("Labelled"), hosts.get("Made by hand")]).toEqual(["app.example.eu:8443", null]);
});

describe("the bounds of an issued key", () => {
  test("a reset without a limit is refused by the name it came under", async () => {
    const pkce = { callback_url: "https://app.example/back", code_challenge: "a".repeat(43) };
    for (const name of ["limit_reset", "usage_limit_type"]) {
      const response = await post("/auth/keys/code", { ...pkce, [name]: "weekly" });
      expect([response.status, ((await response.json()) as Problem).error.param]).toEqual([400, name]);
    }
  });

  test("limit, reset, expiry and label are those of the request", async () => {
    const code = await codeOf({
      limit: 2.5,
      usage_limit_type: "weekly",
      expires_at: "2031-05-06T07:08:09Z",
      key_label: "Bounded",
    });
    const key = await keyOf(code);
    const { data } = (await (await send("GET", "/key", { key })).json()) as { data: ApiKey };
    expect(data).toMatchObject({
      name: "Bounded",
      limit: 2.5,
      limit_reset: "weekly",
      expires_at: "2031-05-06T07:08:09.000Z",
      permissions: ["inference:use"],
    });
  });

  test("they never exceed those of the key that asks", async () => {
    const made = await post("/keys", {
      name: "Maker",
      limit: 1,
      permissions: ["inference:use", "keys:write"],
      allowed_models: ["sandbox/chat"],
    });
    const maker = (await made.json()) as CreatedKey;
    for (const preference of [{ limit: 1.5 }, { allowed_models: ["other/model"] }]) {
      expect(
        (await post("/auth/keys/code", { ...challenge, ...preference }, { key: maker.key })).status,
      ).toBe(403);
    }
    const key = await keyOf(await codeOf({}, { key: maker.key }));
    const { data } = (await (await send("GET", "/key", { key })).json()) as { data: ApiKey };
    expect(data.allowed_models).toEqual(["sandbox/chat"]);
    await send("PATCH", `/keys/${maker.data.hash}`, { body: JSON.stringify({ disabled: true }) });
    expect(await statusOf(key)).toBe(401);
  });
});

describe("what is asked for is checked before anything is made", () => {
  test.each([
    ["callback_url", { callback_url: "http://app.example.eu/" }],
    ["callback_url", { callback_url: "javascript:alert(1)" }],
    ["code_challenge", { code_challenge: "short" }],
    ["code_challenge", { code_challenge: "a".repeat(42) }],
    ["code_challenge", { code_challenge: "a".repeat(129) }],
    ["code_challenge", { code_challenge: `${"a".repeat(42)}=` }],
    ["code_challenge_method", { code_challenge_method: "s256" }],
    ["code_challenge", { code_challenge: undefined }],
    ["limits", { limits: 1 }],
  ])("%s in %o answers 400", async (param, body) => {
    const response = await post("/auth/keys/code", { ...challenge, ...body });
    expect(response.status).toBe(400);
    expect(((await response.json()) as Problem).error.param).toBe(param);
  });

  test.each(["a".repeat(42), "a".repeat(129), `${"a".repeat(43)}+`])(
    "the verifier %s answers 400",
    async (text) => {
      expect((await exchange({ code: "x", code_verifier: text })).status).toBe(400);
    },
  );

  test("plain is taken with its own verifier only, and the exchange cannot choose the method", async () => {
    const plain = `${randomToken(32)}.~`;
    const preference = { code_challenge: plain, code_challenge_method: "plain" };
    const [code, other] = [await codeOf(preference), await codeOf()];
    expect((await exchange({ code, code_verifier: plain, code_challenge_method: "S256" })).status).toBe(400);
    expect((await exchange({ code, code_verifier: plain, code_challenge_method: "plain" })).status).toBe(200);
    await expect(exchangeWithin(other, challenge.code_challenge)).rejects.toEqual(invalidGrant);
  });

  test("other methods than POST answer 405, other types 415", async () => {
    const get = await send("GET", "/auth/keys", { key: null });
    expect([get.status, get.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
    const form = { body: "code=x", headers: { "content-type": "application/x-www-form-urlencoded" } };
    expect((await send("POST", "/auth/keys", form)).status).toBe(415);
  });

  test("ten failures of one address are refused further tries for a while", async () => {
    vi.restoreAllMocks();
    const statuses = [];
    for (let at = 0; at < 12; at++) {
      statuses.push((await exchange({ code: randomToken(32), code_verifier: verifier })).status);
    }
    expect(statuses.at(0)).toBe(403);
    const last = await exchange({ code: randomToken(32), code_verifier: verifier });
    expect(last.status).toBe(429);
    expect(Number(last.headers.get("retry-after"))).toBeGreaterThan(0);
  });
});
