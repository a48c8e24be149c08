import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mintKey } from "#server/keys/index.ts";
import { startVllm } from "#test/providers/vllm-server.ts";
import { type Cluster, startCluster } from "../setup/postgres-cluster.ts";
import { postgresPrograms } from "../setup/postgres-programs.ts";
import { createInstallation, type Gateway } from "./installation.ts";

const programs = postgresPrograms();
const key = mintKey("ptl");
const repetitions = 20;
/** So many providers are added and changed at the same time. */
const together = 5;
const boundMs = 1_000;

type Scope = "installation" | "organisation";
interface Answered {
  readonly status: number;
  readonly body: {
    readonly data?: unknown;
    readonly usage?: { readonly cost_eur: number };
    readonly error?: { readonly metadata?: { readonly error_type?: string } };
  };
}

/** Two processes of one installation: what is changed at the first, the second has to do. */
describe.skipIf(programs === null)("an own provider at the other process of an installation", () => {
  let cluster: Cluster;
  let [first, second]: (Gateway | undefined)[] = [];
  let [home, away]: (Awaited<ReturnType<typeof startVllm>> | undefined)[] = [];
  beforeAll(async () => {
    cluster = await startCluster(programs ?? "");
    [home, away] = await Promise.all([startVllm(), startVllm()]);
    const installation = await createInstallation(cluster, {
      ...{ ADMIN_API_KEY: key, RATE_LIMIT_KEY: "1000000", RATE_LIMIT_ORGANISATION: "0" },
      ...{ ALLOW_PRIVATE_HOSTS: "127.0.0.1", ALLOW_PRIVATE_OWN_PROVIDERS: "127.0.0.1" },
    });
    first = await installation.start();
    second = await installation.start();
  }, 90_000);
  afterAll(async () => {
    await Promise.all([first, second].map((gateway) => gateway?.end("SIGKILL")));
    await Promise.all([home, away].map((server) => server?.close()));
    await cluster?.stop();
  });

  async function send(gateway: Gateway | undefined, method: string, path: string, body?: object) {
    const response = await fetch(`${gateway?.origin}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() } as Answered;
  }

  const times = new Map<string, number[]>();
  let asked = 0;

  /** Sends a change to the first process, and requests to the second until it has the effect. */
  async function measure(
    what: string,
    model: string,
    change: readonly [method: string, path: string, body?: object],
    isEffect: (answer: Answered, servedBy: "home" | "away" | null) => boolean,
  ): Promise<Answered> {
    const changed = await send(first, ...change);
    const answeredMs = performance.now();
    expect(changed.status, `${what}: ${JSON.stringify(changed.body)}`).toBeLessThan(300);
    for (;;) {
      const content = `Request ${asked++}.`;
      const answer = await send(second, "POST", "/chat/completions", {
        ...{ model, max_tokens: 8, messages: [{ role: "user", content }] },
      });
      const got = (server: typeof home) =>
        server?.received.some(({ body }) => JSON.stringify(body).includes(content)) ?? false;
      const tookMs = performance.now() - answeredMs;
      if (isEffect(answer, got(home) ? "home" : got(away) ? "away" : null)) {
        times.set(what, [...(times.get(what) ?? []), tookMs]);
        return changed;
      }
      if (tookMs > 10 * boundMs) throw new Error(`${what}: still ${JSON.stringify(answer)}`);
      await pause(10);
    }
  }

  async function live(slug: string, scope: Scope): Promise<void> {
    const model = `${slug}/chat`;
    const price = (figure: string) => ({ currency: "EUR", input: figure, output: figure });
    const provider = { slug, name: slug, auth: "none", dialect: "vllm", datacenters: ["DE"] };
    const body = {
      scope,
      providers: [{ ...provider, base_url: home?.baseUrl }],
      models: [{ id: model, context_length: 32_768 }],
      endpoints: [{ provider: slug, model, upstream_model: "Qwen/Qwen3-32B", price: price("1") }],
    };
    const isGone = ({ body: { error } }: Answered) => error?.metadata?.error_type === "no_eligible_provider";
    const add = await measure("add", model, ["POST", "/catalogue-entries", body], (_, by) => by === "home");
    const [entry] = add.body.data as [{ readonly id: string }];
    const path = `/catalogue-entries/${entry.id}`;
    const moved = { entry: { ...provider, base_url: away?.baseUrl } };
    let costEur = 0;
    await measure("edit", model, ["PATCH", path, moved], (answer, by) => {
      costEur = answer.body.usage?.cost_eur ?? 0;
      return by === "away";
    });
    if (scope === "installation")
      for (const figure of ["3", "2"]) {
        const prices = [{ endpoint: `${slug}:${model}`, price: price(figure) }];
        const override = { schema: "portolan-prices/1", prices };
        await measure("price override", model, ["POST", "/prices", override], ({ body: { usage } }) => {
          return Math.abs((usage?.cost_eur ?? 0) - Number(figure) * costEur) < 1e-12;
        });
      }
    await measure("disable", model, ["PATCH", path, { enabled: false }], isGone);
    await measure("enable", model, ["PATCH", path, { enabled: true }], (_, by) => by === "away");
    await measure("delete", model, ["DELETE", path], isGone);
  }

  test(`is served, moved, repriced, disabled and deleted within ${boundMs} ms of the answer, each ${repetitions} times`, {
    timeout: 60_000,
  }, async () => {
    const liveInTurn = async (at: number) => {
      for (; at < repetitions; at += together)
        await live(`own-${at}`, at % 2 === 0 ? "installation" : "organisation");
    };
    await Promise.all(Array.from({ length: together }, (_, at) => liveInTurn(at)));
    for (const [what, measured] of times) {
      const sorted = measured.map(Math.round).toSorted((a, b) => a - b);
      console.log(`${what}, seen at the other process after: ${sorted.join(", ")} ms`);
      expect(sorted.length, what).toBe(repetitions);
      expect(sorted.at(-1), what).toBeLessThan(boundMs);
    }
  });
});
