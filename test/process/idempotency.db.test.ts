import { describe, expect, test } from "vitest";
import type { CreatedKey } from "#contract/key.ts";
import { until } from "#test/until.ts";
import { faultyModels } from "./overlay.ts";
import { join, newOrganisation } from "./people.ts";
import { seenUpstream } from "./sandbox-oracle.ts";
import { eventsOf, startTestServer } from "./server.ts";

const server = await startTestServer({ overlay: faultyModels({ slow: { fr: "slow:50" } }) });
const { post, services } = server;
const { prisma } = services.database;
const ours = await newOrganisation(server);

let keys = 0;
const newKey = () => `retry-${keys++}`;
const retryable = (path: string, body: unknown, retry: string, key = ours.key) =>
  post(path, body, { key, headers: { "idempotency-key": retry } });
const codeOf = async (response: Response) =>
  [response.status, ((await response.json()) as { error: { code: string } }).error.code] as const;

/** Done, in progress, or asked to retry: on a busy machine not every request gets a connection in time. */
function expectRaced({ status, headers }: Response, done: number): void {
  expect([done, 409, 503]).toContain(status);
  if (status === 503) expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
}

describe("an operation that creates something", () => {
  test("runs once, and the retry gets the same answer with the key's secret, which is stored sealed", async () => {
    const retry = newKey();
    const first = await retryable("/keys", { name: "Once" }, retry);
    const second = await retryable("/keys", { name: "Once" }, retry);
    const text = await first.text();
    expect([first.status, second.status, await second.text()]).toEqual([201, 201, text]);
    expect([first, second].map(({ headers }) => headers.get("idempotency-replayed"))).toEqual([null, "true"]);
    expect(await prisma.api_key.count({ where: { name: "Once" } })).toBe(1);
    const { key } = JSON.parse(text) as CreatedKey;
    const stored = await prisma.idempotent_request.findMany();
    expect(stored).not.toHaveLength(0);
    for (const { answer } of stored) expect(answer).not.toContain(key.slice(20, 40));
  });

  test("a destination is created once, and the stored answer does not contain its plain secret", async () => {
    const retry = newKey();
    const secretKey = "sk-lf-of-the-retried-destination";
    const body = { name: "Retried", type: "langfuse", config: { publicKey: "pk", secretKey } };
    const [first, second] = [
      await retryable("/broadcast-destinations", body, retry),
      await retryable("/broadcast-destinations", body, retry),
    ];
    expect([first.status, second.status, await second.text()]).toEqual([201, 201, await first.text()]);
    expect(second.headers.get("idempotency-replayed")).toBe("true");
    expect(await prisma.destination.count({ where: { name: "Retried" } })).toBe(1);
    expect(JSON.stringify(await prisma.idempotent_request.findMany())).not.toContain(secretKey);
  });

  test("with another body it answers 422, with an invalid key 400", async () => {
    const retry = newKey();
    await retryable("/workspaces", { name: "A" }, retry);
    expect(await codeOf(await retryable("/workspaces", { name: "B" }, retry))).toEqual([
      422,
      "UNPROCESSABLE",
    ]);
    expect(await codeOf(await retryable("/workspaces", { name: "B" }, "x".repeat(256)))).toEqual([
      400,
      "BAD_REQUEST",
    ]);
  });

  test("a hundred simultaneous requests create one", async () => {
    const retry = newKey();
    const body = { name: "Raced", scope: "org", provider: { data_residency: "eu" } };
    const responses = await Promise.all(
      Array.from({ length: 100 }, () => retryable("/routing-rules", body, retry)),
    );
    for (const response of responses) expectRaced(response, 201);
    await until(async () => expect((await retryable("/routing-rules", body, retry)).status).toBe(201));
    expect(await prisma.routing_rule.count({ where: { name: "Raced" } })).toBe(1);
    await prisma.routing_rule.deleteMany({ where: { name: "Raced" } });
    await services.database.transaction((tx) =>
      tx.config_version.update({ where: { id: 1 }, data: { version: { increment: 1 } } }),
    );
    await services.refreshSnapshot();
  });

  test("a refusal has no effect and can be retried", async () => {
    const retry = newKey();
    expect((await retryable("/keys", { name: "Refused", limit: -1 }, retry)).status).toBe(400);
    expect((await retryable("/keys", { name: "Refused", limit: 1 }, retry)).status).toBe(201);
  });

  test("the keys of different callers and routes are independent", async () => {
    const colleague = await join(server, ours, "admin");
    const retry = newKey();
    const [mine, theirs] = [
      await retryable("/keys", { name: "Apart" }, retry),
      await retryable("/keys", { name: "Apart" }, retry, colleague.key),
    ];
    expect([mine.status, theirs.status]).toEqual([201, 201]);
    expect(((await mine.json()) as CreatedKey).key).not.toBe(((await theirs.json()) as CreatedKey).key);
    expect((await retryable("/workspaces", { name: "Apart" }, retry)).status).toBe(201);
  });

  test("after 24 hours a key is new again", async () => {
    const retry = newKey();
    await retryable("/keys", { name: "Daily" }, retry);
    await prisma.$executeRaw`update idempotent_request set expires_at = now() - interval '1 second'`;
    expect((await retryable("/keys", { name: "Daily, changed" }, retry)).status).toBe(201);
    expect(await prisma.idempotent_request.count()).toBe(1);
  });
});

describe("inference", () => {
  const asked = { model: "sandbox/chat", prompt: "Count.", max_tokens: 6 };
  const generations = async () => {
    await services.billing.drain();
    return prisma.generation.count({ where: { org_id: ours.orgId } });
  };

  test.each([false, true])(
    "100 simultaneous requests reach a provider once and are billed once, with stream %o",
    async (stream) => {
      const before = await generations();
      const retry = newKey();
      const responses = await Promise.all(
        Array.from({ length: 100 }, () => retryable("/completions", { ...asked, stream }, retry)),
      );
      const served = responses.filter(({ status }) => status === 200);
      expect(served.length).toBeGreaterThan(0);
      for (const response of responses) expectRaced(response, 200);
      const texts = await Promise.all(served.map((response) => response.text()));
      const again = await retryable("/completions", { ...asked, stream }, retry);
      const id = again.headers.get("x-generation-id");
      expect(id).toBe(served[0]?.headers.get("x-generation-id"));
      texts.push(await again.text());
      expect(new Set(texts).size).toBe(1);
      expect(await generations()).toBe(before + 1);
      expect(await seenUpstream(server, id)).toHaveLength(1);
      expect(await prisma.ledger_transfer.count({ where: { id: id ?? "" } })).toBe(1);
      const other = await retryable("/completions", { ...asked, stream, max_tokens: 7 }, retry);
      expect(await codeOf(other)).toEqual([422, "UNPROCESSABLE"]);
    },
  );

  test("a refused one runs when it is retried", async () => {
    const retry = newKey();
    const refused = await retryable("/completions", { ...asked, model: "no/such" }, retry);
    expect(refused.status).toBe(404);
    const served = await retryable("/completions", { ...asked, stream: true }, retry);
    expect(served.status).toBe(200);
    expect((await eventsOf(served)).at(-1)).toBe("[DONE]");
  });

  test("one whose process died does not run again, and its retry says so once it cannot be in progress", async () => {
    const retry = newKey();
    const response = await retryable("/completions", asked, retry);
    expect(response.status).toBe(200);
    // As a crash leaves it: begun, and never answered.
    await prisma.$executeRaw`update idempotent_request set answer = null`;
    const waiting = await retryable("/completions", asked, retry);
    expect([waiting.status, waiting.headers.get("retry-after")]).toEqual([409, "1"]);
    await prisma.$executeRaw`update idempotent_request set expires_at = expires_at - interval '21 minutes'`;
    const lost = await retryable("/completions", asked, retry);
    expect([lost.status, lost.headers.get("x-should-retry")]).toEqual([409, "false"]);
  });

  test("one whose client disconnected does not run again", async () => {
    const retry = newKey();
    const body = { ...asked, model: "test/slow", max_tokens: 200, stream: true };
    const response = await retryable("/completions", body, retry);
    await response.body?.cancel();
    await expect
      .poll(async () => codeOf(await retryable("/completions", body, retry)).catch(() => []), {
        timeout: 5000,
      })
      .toEqual([409, "CONFLICT"]);
  });
});
