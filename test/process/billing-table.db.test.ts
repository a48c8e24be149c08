import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { auditMoney } from "#server/billing/index.ts";
import { createOrganisation } from "#test/factories.ts";
import { until } from "#test/until.ts";
import { repository } from "../architecture/source-files.ts";
import { faultyModels } from "./overlay.ts";
import { startTestServer } from "./server.ts";

const faulty = faultyModels({
  good: { fr: "ok" },
  "no-usage": { fr: "no-usage" },
  fallback: { fr: "500", de: "ok" },
  failed: { fr: "500", de: "503" },
  cut: { fr: "cut:4" },
  slow: { fr: "slow:40" },
});
const server = await startTestServer({
  overlay: {
    models: [...faulty.models, { id: "test/free" }],
    endpoints: [
      ...faulty.endpoints,
      {
        provider: "sandbox-fr",
        model: "test/free",
        upstream_model: "sandbox/chat",
        price: { currency: "EUR", input: "0", output: "0" },
      },
    ],
  },
});

const ask = (model: string, stream = false, signal?: AbortSignal) =>
  server.send("POST", "/completions", {
    body: JSON.stringify({ model: `test/${model}`, prompt: "Number 7", max_tokens: 12, seed: 5, stream }),
    ...(signal && { signal }),
  });

async function recordOf(model: string, stream = false) {
  const response = await ask(model, stream);
  await response.text();
  return server.record(response.headers.get("x-generation-id"));
}

/**
 * 1 EUR for a million tokens, in and out, at sandbox-fr: a token is 1,000,000 pico-EUR. At sandbox-de it is 2 EUR.
 */
const tokens = (row: { prompt_tokens: number; completion_tokens: number }, each = 1_000_000n) =>
  BigInt(row.prompt_tokens + row.completion_tokens) * each;

/** The test of each row of the table. */
const cases: Record<string, () => Promise<void>> = {
  async complete() {
    // "Number 7" is 2 tokens of the sandbox ("Number", " 7"), 12 come back: 14 × 1,000,000.
    const row = await recordOf("good");
    expect(row).toMatchObject({
      status: "completed",
      prompt_tokens: 2,
      completion_tokens: 12,
      usage_estimated: false,
    });
    expect(row.cost_pico_eur).toBe(14_000_000n);
  },
  async stream() {
    const row = await recordOf("good", true);
    expect(row).toMatchObject({ status: "completed", usage_estimated: false, cost_pico_eur: 14_000_000n });
  },
  async "no-usage"() {
    const row = await recordOf("no-usage", true);
    expect(row).toMatchObject({ status: "completed", usage_estimated: true });
    // Streamed, each event is a token: 12; the prompt is 8 bytes, 4 to a token: 2.
    expect(row.cost_pico_eur).toBe(14_000_000n);
  },
  async fallback() {
    const row = await recordOf("fallback");
    expect(row).toMatchObject({ status: "completed", provider: "sandbox-de" });
    expect(row.cost_pico_eur).toBe(tokens(row, 2_000_000n));
  },
  async failed() {
    expect(await recordOf("failed")).toMatchObject({ status: "failed", cost_pico_eur: 0n });
  },
  async cut() {
    const row = await recordOf("cut", true);
    expect(row).toMatchObject({ status: "failed", usage_estimated: true });
    // The fault sends 4 events: the prompt's 2 tokens and 4 of the output.
    expect(row.completion_tokens).toBeGreaterThan(0);
    expect(row.completion_tokens).toBeLessThanOrEqual(4);
    expect(row.cost_pico_eur).toBe(tokens(row));
  },
  async cancelled() {
    const leaving = new AbortController();
    const response = await ask("slow", true, leaving.signal);
    await response.body?.getReader().read();
    leaving.abort();
    const id = response.headers.get("x-generation-id") ?? "";
    const { prisma } = server.services.database;
    await vi.waitFor(async () => expect(await prisma.generation.count({ where: { id } })).toBe(1), 10_000);
    const row = await server.record(id);
    expect(row).toMatchObject({ status: "cancelled", usage_estimated: true });
    expect(row.completion_tokens).toBeGreaterThan(0);
    expect(row.completion_tokens).toBeLessThan(12);
    expect(row.cost_pico_eur).toBe(tokens(row));
  },
  async free() {
    expect(await recordOf("free")).toMatchObject({ status: "completed", cost_pico_eur: 0n });
  },
  async refused() {
    const poor = await createOrganisation(server.services.database, { creditEur: "0.000001" });
    await server.services.refreshSnapshot();
    const before = await server.services.database.prisma.generation.count();
    const body = JSON.stringify({ model: "test/good", prompt: "x", max_tokens: 100 });
    await until(async () => {
      const response = await server.send("POST", "/completions", { key: poor.key, body });
      expect(response.status).toBe(402);
      const { error } = (await response.json()) as { error: { metadata: Record<string, string> } };
      expect(Number(error.metadata.missing_eur)).toBeGreaterThan(0);
    });
    await server.services.billing.drain();
    expect(await server.services.database.prisma.generation.count()).toBe(before);
  },
};

const documented = [
  ...readFileSync(join(repository, "docs/billing.md"), "utf8").matchAll(/^\| `([a-z-]+)` /gm),
].map(([, name]) => name ?? "");

test("every case of docs/billing.md is tested here, and no other", () => {
  expect(documented.toSorted()).toEqual(Object.keys(cases).toSorted());
});

test.each(documented)("docs/billing.md, case `%s`, is correct", async (name) => {
  await cases[name]?.();
});

test("after all cases the ledger is consistent", async () => {
  await server.services.billing.drain();
  expect((await auditMoney(server.services.database)).filter(({ broken }) => broken > 0)).toEqual([]);
});
