import { expect, test } from "vitest";
import { auditMoney, readBalance } from "#server/billing/index.ts";
import { picoFromDecimal } from "#server/platform/money.ts";
import { createOrganisation } from "#test/factories.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer({
  overlay: {
    models: [{ id: "test/talker", context_length: 131_072, max_output_tokens: 64 }],
    endpoints: [
      {
        provider: "sandbox-fr",
        model: "test/talker",
        upstream_model: "sandbox/chat",
        price: { currency: "EUR", input: "1", output: "1" },
      },
    ],
  },
});
const { database, billing, refreshSnapshot } = server.services;

test("300 concurrent streams of unknown length never make a small balance negative", {
  timeout: 120_000,
}, async () => {
  // A stream may cost up to its prompt and 64 tokens, some 0.00007 EUR: there is credit for about 40 of 300.
  const poor = await createOrganisation(database, { creditEur: "0.003" });
  await refreshSnapshot();
  const ask = async (seed: number) => {
    const body = JSON.stringify({ model: "test/talker", prompt: `Number ${seed}`, seed, stream: true });
    const response = await server.send("POST", "/completions", { key: poor.key, body });
    const text = await response.text();
    const needed = response.status === 402 ? String(JSON.parse(text).error.metadata.needed_eur) : null;
    return { status: response.status, needed };
  };
  const asked = await Promise.all(Array.from({ length: 300 }, (_, seed) => ask(seed)));
  const served = asked.filter(({ status }) => status === 200);
  expect(asked.filter(({ status }) => status === 402)).toHaveLength(300 - served.length);
  expect(served.length).toBeGreaterThan(0);
  expect(served.length).toBeLessThan(300);
  await billing.drain();
  const { granted, used } = await readBalance(database, poor.orgId);
  expect(granted - used).toBeGreaterThanOrEqual(0n);
  const rows = await database.prisma.generation.findMany({ where: { org_id: poor.orgId } });
  expect(rows).toHaveLength(served.length);
  // None cost more than was held for it: 2 or 3 tokens of prompt and 64 of output, at 1,000,000 pico-EUR each.
  const overrun = rows.filter(({ cost_pico_eur }) => BigInt(cost_pico_eur.toFixed(0)) > 67_000_000n);
  expect(overrun).toEqual([]);
  // What the streams did not use is there again, until less is left than one may cost.
  // A hold ends a moment after its stream: only a refusal with nothing under way counts.
  let needed: string | null = null;
  for (let seed = 300, refusals = 0; refusals < 2; seed++) {
    const last = await ask(seed);
    refusals = last.status === 200 ? 0 : refusals + 1;
    needed = last.needed;
    if (refusals > 0) await billing.drain();
  }
  const after = await readBalance(database, poor.orgId);
  expect(after.granted - after.used).toBeGreaterThanOrEqual(0n);
  expect(after.granted - after.used).toBeLessThan(picoFromDecimal(needed ?? "0"));
  expect((await auditMoney(database)).filter(({ broken }) => broken > 0)).toEqual([]);
});
