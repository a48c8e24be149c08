import { expect, test } from "vitest";
import { authorize } from "#server/access/authorize.ts";
import type { BasisBody } from "#server/db/index.ts";
import { clock, dateAt, isoTime } from "#server/platform/clock.ts";
import { createOrganisation, generationRow, insertGenerations, openTestDatabase } from "#test/factories.ts";
import { requestFlows } from "./index.ts";

const { database } = await openTestDatabase();
const organisation = await createOrganisation(database);
const { orgId, keyId } = organisation;
const caller = authorize(
  { ...organisation.caller, permissions: new Set(["activity:read"]) },
  "activity:read",
  "organisation",
);
const rule = "018f0000-0000-7000-8000-0000000000aa";
const names: Record<string, string> = { [rule]: "EU only" };
const deps = {
  ...{ database, ruleNames: async () => names },
  countryOf: (slug: string) => (slug === "us" ? "US" : null),
};

async function decide(hash: string, rules: string[], excluded: BasisBody["models"][number]["excluded"]) {
  const model = { model: "m", strategy: "balanced", rules, rule_count: rules.length, excluded };
  const body: BasisBody = { endpoints: ["de:m", "fr/fp8:m"], models: [{ ...model, preferences: {} }] };
  await database.prisma.decision_basis.create({
    data: {
      seen_on: dateAt(clock.nowMs()),
      org_id: orgId,
      hash: Buffer.from(hash, "hex"),
      body: JSON.parse(JSON.stringify(body)),
    },
  });
}
const [strict, loose] = ["ab".repeat(32), "cd".repeat(32)];
await decide(
  strict,
  [rule],
  [
    { endpoint: "us:m", excluded_by: "data_region", set_by: rule },
    { endpoint: "us/b:m", excluded_by: "data_region", set_by: rule },
    { endpoint: "fr/bf16:m", excluded_by: "quantization", set_by: "request" },
    { endpoint: "none:m", excluded_by: "no_credential", set_by: "installation" },
  ],
);
await decide(loose, [], [{ endpoint: "us:m", excluded_by: "data_region", set_by: "request" }]);

const serve = (minutesAgo: number, more: object) =>
  generationRow(organisation, "0.1", {
    started_at: isoTime(clock.nowMs() - minutesAgo * 60_000),
    ...more,
  });
const by = (hash: string, provider: string | null, status = "completed") => ({
  ...{ decision_hash: `\\x${hash}`, provider, region: provider?.toUpperCase() ?? null, status },
});
await insertGenerations(database, [
  serve(1, by(strict, "de")),
  serve(2, by(strict, "de")),
  serve(3, by(strict, "de", "failed")),
  serve(4, by(strict, "fr", "cancelled")),
  serve(5, by(loose, "de")),
  serve(6, { decision_hash: null, provider: null, region: null, status: "failed" }),
  serve(3 * 24 * 60, by(strict, "de")),
]);

const counts = { completed: 0, failed: 0, stopped: 0 };
const key = { id: keyId, name: expect.any(String) };

test("the flows count every request of the period once, by key, rules, country, provider and outcome", async () => {
  const { flows, counted_from } = await requestFlows(deps, caller, { range: "24h" });
  const rules = [{ id: rule, name: "EU only" }];
  expect(flows).toHaveLength(4);
  expect(flows).toEqual(
    expect.arrayContaining([
      { ...counts, key, rules, country: "DE", provider: "de", completed: 2, failed: 1 },
      { ...counts, key, rules, country: "FR", provider: "fr", stopped: 1 },
      { ...counts, key, rules: [], country: "DE", provider: "de", completed: 1 },
      { ...counts, key, rules: null, country: null, provider: null, failed: 1 },
    ]),
  );
  expect(counted_from).toBeNull();
  expect((await requestFlows(deps, caller, { range: "7d" })).flows[0]?.completed).toBe(3);
});

test("a provider counts as excluded once for each request, unless another endpoint of it was admitted", async () => {
  const { excluded } = await requestFlows(deps, caller, { range: "24h" });
  expect(excluded).toEqual([
    {
      provider: "us",
      country: "US",
      reason: "data_region",
      rule: { id: rule, name: "EU only" },
      scope: null,
      requests: 4,
    },
    { provider: "us", country: "US", reason: "data_region", rule: null, scope: "request", requests: 1 },
  ]);
});

test("of very many requests only the newest are read, and the answer says since when", async () => {
  const { flows, counted_from } = await requestFlows(deps, caller, { range: "24h" }, 2);
  expect(flows).toMatchObject([{ completed: 2 }]);
  expect(Date.parse(counted_from ?? "")).toBeLessThan(clock.nowMs() - 60_000);
});

test("another organisation sees none of them", async () => {
  const other = await createOrganisation(database);
  const stranger = authorize(
    { ...other.caller, permissions: new Set(["activity:read"]) },
    "activity:read",
    "organisation",
  );
  expect(await requestFlows(deps, stranger, { range: "7d" })).toMatchObject({ flows: [], excluded: [] });
});
