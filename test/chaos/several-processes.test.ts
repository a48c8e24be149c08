import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { auditMoney } from "#server/billing/index.ts";
import type { Database } from "#server/db/index.ts";
import { mintKey } from "#server/keys/index.ts";
import { sha256 } from "#server/platform/crypto.ts";
import { randomToken } from "#server/platform/ids.ts";
import { type Cluster, startCluster } from "../setup/postgres-cluster.ts";
import { postgresPrograms } from "../setup/postgres-programs.ts";
import { eventually } from "./gateway-process.ts";
import { createInstallation, type Gateway } from "./installation.ts";

const programs = postgresPrograms();
const administrator = mintKey("ptl");
const callback_url = "https://app.example.eu/callback";

/** Three processes of one installation over one PostgreSQL: what they must agree on. */
describe.skipIf(programs === null)("three processes of one installation", () => {
  let cluster: Cluster;
  let database: Database;
  const gateways: Gateway[] = [];
  const at = (index: number): Gateway => gateways[index % gateways.length] as Gateway;
  beforeAll(async () => {
    cluster = await startCluster(programs ?? "");
    const installation = await createInstallation(cluster, {
      ADMIN_API_KEY: administrator,
      RATE_LIMIT_KEY: "1000000",
      RATE_LIMIT_ORGANISATION: "0",
      RATE_LIMIT_AUTH: "0",
      TRUSTED_PROXIES: "127.0.0.1",
    });
    database = installation.open();
    gateways.push(await installation.start());
    gateways.push(...(await Promise.all([installation.start(), installation.start()])));
  }, 90_000);
  afterAll(async () => {
    await Promise.all(gateways.map((gateway) => gateway.end("SIGKILL")));
    await database?.close();
    await cluster?.stop();
  });

  const send = (
    gateway: Gateway,
    method: string,
    path: string,
    key: string | null,
    body?: object,
    from = 1,
  ) =>
    fetch(`${gateway.origin}/api/v1${path}`, {
      method,
      body: body && JSON.stringify(body),
      headers: {
        ...(key && { authorization: `Bearer ${key}` }),
        ...(body && { "content-type": "application/json" }),
        "x-forwarded-for": `198.51.100.${from}`,
      },
    });
  const statusOf = async (gateway: Gateway, key: string) => {
    const response = await send(gateway, "GET", "/me", key);
    await response.arrayBuffer();
    return response.status;
  };
  const knownEverywhere = (key: string) =>
    eventually("the key everywhere", async () => {
      const statuses = await Promise.all(gateways.map((gateway) => statusOf(gateway, key)));
      return statuses.every((status) => status === 200);
    });
  /** How long after now the key was last taken by any of the processes, in ms. */
  async function outlives(key: string): Promise<number> {
    const beganMs = performance.now();
    let lastMs = 0;
    const dies = async (gateway: Gateway) => {
      while (lastMs < 10_000 && (await statusOf(gateway, key)) !== 401) lastMs = performance.now() - beganMs;
    };
    await Promise.all(gateways.map(dies));
    return lastMs;
  }
  async function makeKey(more: object): Promise<{ key: string; hash: string }> {
    const made = (await (
      await send(at(0), "POST", "/keys", administrator, { name: "Key", ...more })
    ).json()) as {
      key: string;
      data: { hash: string };
    };
    return { key: made.key, hash: made.data.hash };
  }

  /** Makes a code be used longer ago than its answer is repeated. */
  const used = (code: string) =>
    database.prisma.$executeRaw`
      update authorization_code set used_at = now() - interval '10 seconds' where digest = ${sha256(code)}`;

  test("200 exchanges of one code at once over two of them give all one key, and a later replay ends it everywhere", {
    timeout: 30_000,
  }, async () => {
    const verifier = randomToken(32);
    const challenge = { callback_url, code_challenge: sha256(verifier) };
    const asked = await send(at(0), "POST", "/auth/keys/code", administrator, challenge);
    const { code } = (await asked.json()) as { code: string };
    const keysBefore = await database.prisma.api_key.count();
    const exchange = async (index: number) => {
      const body = { code, code_verifier: verifier };
      // From addresses of their own, or failed exchanges would be slowed down.
      const response = await send(at(index % 2), "POST", "/auth/keys", null, body, index);
      return { status: response.status, body: (await response.json()) as { key?: string } };
    };
    const answers = await Promise.all(Array.from({ length: 200 }, (_, index) => exchange(index)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const [key = "", ...others] = new Set(answers.map(({ body }) => body.key));
    expect(others).toEqual([]);
    expect(await database.prisma.api_key.count()).toBe(keysBefore + 1);
    await knownEverywhere(key);
    await used(code);
    expect((await exchange(201)).status).toBe(403);
    expect(await outlives(key)).toBeLessThan(2_000);
  });

  test("a key that was exchanged works in all, and one replay at another ends it in all within 2 s", {
    timeout: 30_000,
  }, async () => {
    const verifier = randomToken(32);
    const challenge = { callback_url, code_challenge: sha256(verifier) };
    const asked = await send(at(0), "POST", "/auth/keys/code", administrator, challenge);
    const { code } = (await asked.json()) as { code: string };
    const exchange = (index: number) =>
      send(at(index), "POST", "/auth/keys", null, { code, code_verifier: verifier }, 210);
    const { key } = (await (await exchange(1)).json()) as { key: string };
    const works = (gateway: Gateway) =>
      send(gateway, "GET", "/key", key).then(({ status }) => status === 200);
    await eventually("the key everywhere", async () =>
      (await Promise.all(gateways.map(works))).every(Boolean),
    );
    await used(code);
    expect((await exchange(2)).status).toBe(403);
    expect(await outlives(key)).toBeLessThan(2_000);
  });

  test("a revoked key is dead in each of them within 2 s", { timeout: 30_000 }, async () => {
    for (const revoke of ["DELETE", "PATCH"]) {
      const { key, hash } = await makeKey({});
      await knownEverywhere(key);
      const body = revoke === "PATCH" ? { disabled: true } : undefined;
      expect((await send(at(0), revoke, `/keys/${hash}`, administrator, body)).status).toBe(200);
      expect(await outlives(key)).toBeLessThan(2_000);
      for (const gateway of gateways) expect(await statusOf(gateway, key)).toBe(401);
    }
  });

  test("of 1,000 simultaneous requests a limit of 100 per minute admits 100 to 101 over all processes, with the time to retry", {
    timeout: 60_000,
  }, async () => {
    const { key } = await makeKey({ requests_per_minute: 100 });
    // `knownEverywhere` would spend of the limit.
    const { key: later } = await makeKey({});
    await knownEverywhere(later);
    const secondsLeft = () => 60 - ((Date.now() / 1000) % 60);
    await eventually("room in a minute", async () => secondsLeft() > 20, 25_000);
    const minute = Math.floor(Date.now() / 60_000);
    const answers = await Promise.all(
      Array.from({ length: 1000 }, async (_, index) => {
        const askedSeconds = Date.now() / 1000;
        const { status, headers } = await send(at(index), "GET", "/me", key);
        return { status, headers, askedSeconds, answeredSeconds: Date.now() / 1000 };
      }),
    );
    expect(Math.floor(Date.now() / 60_000)).toBe(minute);
    const refused = answers.filter(({ status }) => status === 429);
    const accepted = answers.filter(({ status }) => status === 200).length;
    expect(accepted + refused.length).toBe(1000);
    expect(accepted).toBeGreaterThanOrEqual(100);
    expect(accepted).toBeLessThanOrEqual(101);
    for (const { headers, askedSeconds, answeredSeconds } of refused) {
      const waitSeconds = Number(headers.get("retry-after"));
      const opensSeconds = (minute + 1) * 60;
      expect(Number(headers.get("x-ratelimit-reset"))).toBe(opensSeconds);
      // It is counted from a moment between question and answer, in whole seconds, and never too soon.
      expect(waitSeconds).toBeGreaterThanOrEqual(Math.floor(opensSeconds - answeredSeconds));
      expect(waitSeconds).toBeLessThanOrEqual(Math.ceil(opensSeconds - askedSeconds));
    }
  });

  test("after all of it the books hold, and no code gave two keys", async () => {
    expect((await auditMoney(database)).filter(({ broken }) => broken > 0)).toEqual([]);
  });
});
