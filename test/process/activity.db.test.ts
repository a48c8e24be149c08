import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { bookGenerations } from "#server/billing/book-generations.ts";
import { auditMoney, readBalance } from "#server/billing/index.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { temporaryDirectory } from "#test/directories.ts";
import { createOrganisation, generationRow } from "#test/factories.ts";
import { repository } from "../architecture/source-files.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer();
const { database } = server.services;
const organisation = await createOrganisation(database, { creditEur: "10" });
await server.services.refreshSnapshot();
const { key, orgId } = organisation;
const row = (costEur: string, day: string, more: object = {}) =>
  generationRow(organisation, costEur, { started_at: `${day}T12:00:00.000Z`, ...more });
const rows = [
  row("0.1", "2026-11-20"),
  row("0.2", "2026-11-20"),
  row("0.4", "2026-11-21", { provider: "sandbox-fr" }),
  row("0.8", "2026-11-21", { model: "=cmd|' /C calc'!A0" }),
  row("1.6", "2026-10-01"),
  // With and without what a group may lack.
  ...["2027-01-01", "2027-01-02"].flatMap((day) =>
    [{}, { provider: null, status: "failed" }, { workspace_id: uuidv7() }, { workspace_id: uuidv7() }].map(
      (more) => row("0.01", day, more),
    ),
  ),
];
await bookGenerations(
  database,
  rows.map((one) => ({ instanceId: uuidv7(), row: one })),
);

const pageOf = async (query: string, span = "from=2026-11-01&to=2026-11-30") => {
  const response = await server.send("GET", `/activity?${span}${query}`, { key });
  expect(response.status).toBe(200);
  return (await response.json()) as { data: Record<string, unknown>[]; next: string | null };
};
const report = async (query: string) => (await pageOf(query)).data;
const cli = (...args: string[]) =>
  promisify(execFile)(process.execPath, [join(repository, "scripts/cli.ts"), ...args], {
    env: { ...process.env, PORTOLAN_URL: server.origin, PORTOLAN_API_KEY: key },
  });

test("sums by day, provider and key, for the requested days and one organisation only", async () => {
  expect(await report("&group_by=day")).toMatchObject([
    { day: "2026-11-20", requests: 2, cost_eur: "0.300000000000" },
    { day: "2026-11-21", requests: 2, cost_eur: "1.200000000000" },
  ]);
  expect(await report("&group_by=provider")).toMatchObject([
    { provider: "sandbox-de", requests: 3 },
    { provider: "sandbox-fr", requests: 1, prompt_tokens: 10, completion_tokens: 20 },
  ]);
  expect(await report("&group_by=api_key_id,workspace_id")).toMatchObject([
    { api_key_id: organisation.keyId, workspace_id: null, requests: 4 },
  ]);
  expect(await report("")).toHaveLength(3);
});

test("an unknown group is refused by name", async () => {
  const response = await server.send("GET", "/activity?from=2026-11-01&to=2026-11-30&group_by=colour", {
    key,
  });
  expect(response.status).toBe(400);
  expect(await response.text()).toContain("group_by");
});

test("the pages together contain each group once, whatever their size; a foreign cursor is refused", async () => {
  const span = "from=2026-11-01&to=2027-01-31";
  for (const groups of [
    "day,model,provider",
    "workspace_id,day",
    "provider,workspace_id",
    "api_key_id,day",
  ]) {
    const complete = (await pageOf(`&group_by=${groups}`, span)).data;
    expect(complete.length).toBeGreaterThan(2);
    for (const limit of [1, 2, 3]) {
      const gathered: object[] = [];
      for (let after = "", next: string | null = ""; next !== null; ) {
        const page: Awaited<ReturnType<typeof pageOf>> = await pageOf(
          `&group_by=${groups}&limit=${limit}${after}`,
          span,
        );
        expect(page.data.length).toBeLessThanOrEqual(limit);
        gathered.push(...page.data);
        next = page.next;
        after = `&after=${encodeURIComponent(next ?? "")}`;
      }
      expect(gathered).toEqual(complete);
    }
  }
  for (const after of [
    '["2026-11-20","\\u0000","x"]',
    "nowhere",
    "[]",
    '["2026-11-20"]',
    '["x","y","z"]',
    '{"day":1}',
  ]) {
    const path = `/activity?from=2026-11-01&to=2026-11-30&after=${encodeURIComponent(after)}`;
    const response = await server.send("GET", path, { key });
    expect(response.status, after).toBe(400);
    expect(await response.text()).toContain("after");
  }
});

test("in CSV a name that begins like a formula is escaped", async () => {
  const { stdout } = await cli("activity", "export", "--from", "2026-11-01", "--to", "2026-11-30");
  expect(stdout.split("\n")).toHaveLength(5);
  expect(stdout).toContain("'=cmd|");
  expect(stdout).not.toMatch(/(^|,)"?=cmd/m);
});

test("an invoice that agrees has no differences; one that does not is listed by day and model", async () => {
  const file = join(temporaryDirectory(), "invoice.csv");
  const head = "day,provider,model,amount,currency,note\n";
  writeFileSync(file, `${head}2026-11-20,sandbox-de,sandbox/chat,0.30,EUR,\n`);
  expect((await cli("reconcile", file)).stdout).toBe("No differences in 1 lines.\n");
  writeFileSync(
    file,
    `${head}2026-11-20,sandbox-de,sandbox/chat,0.35,EUR,\n2026-11-21,sandbox-fr,sandbox/chat,0.4,EUR,\n`,
  );
  const { stdout } = await cli("reconcile", file);
  expect(stdout).toMatch(/2026-11-20 +sandbox-de +sandbox\/chat +EUR +0\.35 +0\.3 +0\.05/);
  expect(stdout).not.toContain("sandbox-fr");
  writeFileSync(file, `${head}20.11.2026,sandbox-de,sandbox/chat,0.35,EUR,\n`);
  await expect(cli("reconcile", file)).rejects.toMatchObject({
    stderr: expect.stringContaining("line 2: day"),
  });
});

test("corrections are in the ledger with their reason; a refund counts once", async () => {
  const adjust = (amount_eur: string) =>
    server.post("/credits/adjustments", { org_id: orgId, amount_eur, reason: "Invoice was paid" });
  const before = await readBalance(database, orgId);
  expect((await adjust("5")).status).toBe(201);
  expect((await adjust("-2.5")).status).toBe(201);
  expect((await readBalance(database, orgId)).free).toBe(before.free + 2_500_000_000_000n);
  expect((await adjust("-1000")).status).toBe(409);
  expect((await adjust("0")).status).toBe(400);
  const refund = () =>
    server.post("/credits/refunds", { org_id: orgId, generation_id: rows[2]?.id, reason: "Was cut" });
  expect((await Promise.all([refund(), refund(), refund()])).map(({ status }) => status).toSorted()).toEqual([
    201, 409, 409,
  ]);
  expect((await readBalance(database, orgId)).used).toBe(before.used - 400_000_000_000n);
  expect(
    (await server.post("/credits/refunds", { org_id: orgId, generation_id: uuidv7(), reason: "Was cut" }))
      .status,
  ).toBe(404);
  const others = { amount_eur: "5", reason: "For us" };
  expect((await server.post("/credits/adjustments", others, { key })).status).toBe(403);
  expect((await auditMoney(database)).filter(({ broken }) => broken > 0)).toEqual([]);
});
