import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { get, type IncomingMessage, request } from "node:http";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { ErrorEnvelope } from "#contract/errors.ts";
import { clock } from "#server/platform/clock.ts";
import { createOrganisation } from "#test/factories.ts";
import { readLedger } from "#test/ledger.ts";
import { until } from "#test/until.ts";
import { faultyModels } from "./overlay.ts";
import { seenUpstream } from "./sandbox-oracle.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer({
  overlay: faultyModels({ quick: { fr: "ok" }, slow: { fr: "slow:20" }, stall: { fr: "stall" } }),
});
const { post, record, services } = server;
const asked = { model: "test/quick", prompt: "x", max_tokens: 12, seed: 5 };

/** An organisation whose key the running server knows. */
async function known(creditEur: string) {
  const organisation = await createOrganisation(services.database, { creditEur });
  const headers = { authorization: `Bearer ${organisation.key}` };
  await vi.waitFor(() => expect(services.authenticate(headers)).not.toBeNull(), { timeout: 5000 });
  return organisation;
}

describe("the database", () => {
  /** Statements sent on behalf of a request under way: those in the asynchronous context the request began. */
  function statementsOfRequests() {
    const request = new AsyncLocalStorage<true>();
    const begin = () => request.enterWith(true);
    subscribe("http.server.request.start", begin);
    const sent: string[] = [];
    const usualLimit = Error.stackTraceLimit;
    const spy = vi.spyOn(services.metrics.statements, "inc").mockImplementation(() => {
      if (!request.getStore()) return;
      // Its origin, to explain a failure.
      Error.stackTraceLimit = 50;
      sent.push(new Error("A statement was sent").stack ?? "");
      Error.stackTraceLimit = usualLimit;
    });
    onTestFinished(() => {
      unsubscribe("http.server.request.start", begin);
      spy.mockRestore();
    });
    return sent;
  }

  const { prompt, max_tokens: max, ...common } = asked;
  const whatIsAsked = {
    "/completions": asked,
    // Answers are stored here, and still only afterwards.
    "/responses": { ...common, input: prompt, max_output_tokens: max, store: true },
  };
  const ways = (["/completions", "/responses"] as const).flatMap((path) =>
    [false, true].map((stream) => [path, stream] as const),
  );

  let minutes = 0;
  /** Wall time shortly before a minute without requests begins, until it is advanced. */
  function beforeTheMinute() {
    const { nowMs } = clock;
    minutes += 2;
    let shiftMs = minutes * 60_000 + 55_000 - (nowMs() % 60_000);
    const spy = vi.spyOn(clock, "nowMs").mockImplementation(() => nowMs() + shiftMs);
    onTestFinished(() => spy.mockRestore());
    return () => {
      shiftMs += 10_000;
    };
  }

  /** The limiter takes shares of the next minute for subjects with requests in this one, within a second. */
  async function nextMinuteIsTaken(): Promise<void> {
    await until(async () => {
      const minute = Math.floor(clock.nowMs() / 60_000);
      const windows = await services.database.prisma.rate_window.findMany({
        where: { minute: { gte: minute } },
      });
      const subjectsOf = (of: number) =>
        windows.filter((one) => one.minute === of).map(({ subject }) => subject);
      expect(subjectsOf(minute + 1)).toEqual(expect.arrayContaining(subjectsOf(minute)));
    });
  }

  test.each(ways)(
    "gets no statement between accept and last byte of %s, with stream %o, even when a rate window begins",
    async (path, stream) => {
      const body = { ...whatIsAsked[path], stream };
      const begin = beforeTheMinute();
      for (let at = 0; at < 20; at++) await (await post(path, body)).text();
      await services.billing.drain();
      await nextMinuteIsTaken();
      // Booking happens after the last byte, in a context that a request began: it waits until all are answered.
      const resume = services.billing.pauseFlushing();
      const sent = statementsOfRequests();
      for (let at = 0; at < 200; at += 10) {
        if (at === 100) begin();
        const responses = await Promise.all(Array.from({ length: 10 }, () => post(path, body)));
        for (const response of responses) {
          expect(response.status).toBe(200);
          await response.text();
        }
      }
      expect(sent).toEqual([]);
      // The count is no blind one: a request that does ask the database is seen.
      resume();
      await services.billing.drain();
      sent.length = 0;
      expect((await server.send("GET", "/routing-rules")).status).toBe(200);
      expect(sent.length).toBeGreaterThan(0);
    },
  );
});

describe("credit", () => {
  test("requests are served until it is used up, then refused with 402, and it is never overspent", async () => {
    const organisation = await known("0.0005");
    const ask = () => post("/completions", asked, { key: organisation.key });
    const statuses: number[] = [];
    do {
      const response = await ask();
      statuses.push(response.status);
      if (response.status === 402) {
        const { error } = ErrorEnvelope.parse(await response.json());
        expect(error).toMatchObject({ code: "INSUFFICIENT_QUOTA", type: "insufficient_quota" });
        expect(Number(error.metadata.needed_eur)).toBeGreaterThan(Number(error.metadata.available_eur));
      } else await response.text();
    } while (statuses.at(-1) === 200 && statuses.length < 100);
    expect(statuses.length).toBeGreaterThan(5);
    expect(statuses.at(-1)).toBe(402);
    await services.billing.drain();
    const state = await readLedger(services.database, organisation.orgId);
    expect(state.generationCount).toBe(statuses.length - 1);
    expect(state.credits).toBeGreaterThanOrEqual(0n);
    expect(state.used).toBe(state.generations);
  });

  test("of many simultaneous requests, only as many are served as it pays for", async () => {
    const organisation = await known("0.001");
    const responses = await Promise.all(
      Array.from({ length: 100 }, () => post("/completions", asked, { key: organisation.key })),
    );
    const served = responses.filter(({ status }) => status === 200).length;
    expect(responses.every(({ status }) => status === 200 || status === 402)).toBe(true);
    expect(served).toBeGreaterThan(5);
    await Promise.all(responses.map((response) => response.text()));
    await services.billing.drain();
    const state = await readLedger(services.database, organisation.orgId);
    expect(state.generationCount).toBe(served);
    expect(state.credits).toBeGreaterThanOrEqual(0n);
  });
});

describe("a client that disconnects", () => {
  /** Resolves once the upstream noticed, with how long that took. */
  async function upstreamClosed(generationId: string, leftMs: number) {
    await vi.waitFor(
      async () => expect((await seenUpstream(server, generationId))[0]?.outcome).toBe("client_gone"),
      { timeout: 5000, interval: 10 },
    );
    return clock.monotonicMs() - leftMs;
  }

  test("in the middle of a stream closes the upstream within a second and pays for what was produced", async () => {
    const leaving = new AbortController();
    const response = await post(
      "/completions",
      { ...asked, model: "test/slow", prompt: "Where to, and why?", max_tokens: 500, stream: true, n: 20 },
      { signal: leaving.signal },
    );
    const id = response.headers.get("x-generation-id") ?? "";
    await response.body?.getReader().read();
    const leftMs = clock.monotonicMs();
    leaving.abort();
    expect(await upstreamClosed(id, leftMs)).toBeLessThan(1000);
    await until(async () => {
      expect(await record(id)).toMatchObject({ status: "cancelled", cancelled: true, usage_estimated: true });
    });
    const [seen] = await seenUpstream(server, id);
    const row = await record(id);
    expect(row.cost_pico_eur).toBeGreaterThan(0n);
    expect(row.completion_tokens).toBeGreaterThan(0);
    expect(row.completion_tokens).toBeLessThan((seen?.completion_tokens ?? 0) * 2);
  });

  test.each([false, true])(
    "before anything arrived, with stream %o, closes the upstream and pays nothing",
    async (stream) => {
      const leaving = new AbortController();
      const before = (await seenAll()).length;
      const pending = post(
        "/completions",
        { ...asked, model: "test/stall", stream },
        { signal: leaving.signal },
      );
      await until(async () => expect((await seenAll()).length).toBe(before + 1));
      const id = (await seenAll()).at(-1)?.generation ?? "";
      const leftMs = clock.monotonicMs();
      leaving.abort();
      await expect(pending).rejects.toThrow();
      expect(await upstreamClosed(id, leftMs)).toBeLessThan(1000);
      await until(async () => {
        expect(await record(id)).toMatchObject({ status: "cancelled", cost_pico_eur: 0n });
      });
    },
  );

  async function seenAll() {
    const address = services.catalogues.of(null).providers.get("sandbox-fr")?.baseUrl ?? "";
    const response = await fetch(`${new URL(address).origin}/__sandbox/requests`);
    return ((await response.json()) as { data: { generation: string | null }[] }).data;
  }
});

describe("a client that reads slowly", () => {
  test("is waited for: the upstream is read no faster than the client reads, and everything arrives", async () => {
    const body = JSON.stringify({
      ...asked,
      prompt: Array.from({ length: 16 }, (_, at) => `prompt ${at}`),
      n: 128,
      max_tokens: 240,
      stream: true,
    });
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const sending = request(`${server.origin}/api/v1/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${server.key}`, "content-type": "application/json" },
      });
      sending.on("response", resolve);
      sending.on("error", reject);
      sending.end(body);
    });
    const id = String(response.headers["x-generation-id"]);
    expect(response.statusCode).toBe(200);
    const produced = async () => (await seenUpstream(server, id))[0]?.produced_tokens ?? 0;
    let last = -1;
    await vi.waitFor(
      async () => {
        const now = await produced();
        const moved = now !== last;
        last = now;
        expect(moved).toBe(false);
      },
      { timeout: 20_000, interval: 300 },
    );
    const [seen] = await seenUpstream(server, id);
    expect(last).toBeLessThan(seen?.completion_tokens ?? 0);
    let text = "";
    for await (const chunk of response) text = (text + chunk).slice(-200);
    expect(text).toMatch(/data: \[DONE\]\n\n$/);
    expect(await record(id)).toMatchObject({
      status: "completed",
      completion_tokens: seen?.completion_tokens,
    });
  }, 90_000);
});

test("a request whose body is cut off does not crash the server and costs nothing", async () => {
  await services.billing.drain();
  const before = await services.database.prisma.generation.count();
  await new Promise<void>((resolve) => {
    const sending = request(`${server.origin}/api/v1/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${server.key}`, "content-length": 1000 },
    });
    sending.on("error", () => resolve());
    sending.write('{"model":');
    setImmediate(() => sending.destroy());
    sending.on("close", () => resolve());
  });
  const alive = await new Promise<number | undefined>((resolve) => {
    get(`${server.origin}/health/live`, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
  });
  expect(alive).toBe(200);
  expect(await services.database.prisma.generation.count()).toBe(before);
});
