import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import { auditMoney, readBalance } from "#server/billing/index.ts";
import type { Database } from "#server/db/index.ts";
import { mintKey } from "#server/keys/index.ts";
import { picoFromDecimal } from "#server/platform/money.ts";
import type { SeenRequest } from "#server/sandbox/index.ts";
import { temporaryDirectory } from "#test/directories.ts";
import { type Cluster, startCluster } from "../setup/postgres-cluster.ts";
import { startOracle } from "./gateway-process.ts";
import { chaosOverlay, chaosSettings, createInstallation, type Gateway } from "./installation.ts";
import type { Delivered } from "./load.ts";

export const eur = picoFromDecimal;

/** The time within which 99 of 100 answers came. */
export const p99 = (answers: readonly Delivered[]): number =>
  answers.map(({ tookMs }) => tookMs).toSorted((a, b) => a - b)[Math.floor(answers.length * 0.99)] ?? 0;

/** One PostgreSQL and one provider for the tests of a group. The PostgreSQL may crash and come back. */
export function sharedPostgres(programs: string) {
  let cluster: Cluster;
  let oracle: Awaited<ReturnType<typeof startOracle>>;
  beforeAll(async () => {
    cluster = await startCluster(programs, { durable: true });
    oracle = await startOracle();
  });
  afterAll(async () => {
    await oracle?.end("SIGKILL");
    await cluster?.stop();
  });

  const seen = async (): Promise<SeenRequest[]> =>
    ((await (await fetch(`${oracle.origin}/__sandbox/requests`)).json()) as { data: SeenRequest[] }).data;

  /** A new installation whose processes and pools end with the test. */
  async function installation(settings: Record<string, string> = {}) {
    const key = mintKey("ptl");
    const catalogFile = join(temporaryDirectory(), "overlay.json");
    writeFileSync(catalogFile, JSON.stringify(chaosOverlay(oracle.origin)));
    const made = await createInstallation(cluster, {
      ...chaosSettings(key, catalogFile),
      ...settings,
    });
    const start = async (more?: Record<string, string>) => {
      const gateway = await made.start(more);
      onTestFinished(() => gateway.end("SIGKILL"));
      return gateway;
    };
    const open = (): Database => {
      const database = made.open();
      onTestFinished(() => database.close());
      return database;
    };
    const before = (await seen()).length;
    /** The requests that the provider got from this installation. */
    const asked = async () => (await seen()).slice(before);
    return { key, start, open, asked };
  }

  return { cluster: () => cluster, installation };
}

export async function ask(gateway: Gateway, key: string, more: object = {}): Promise<number> {
  const response = await fetch(`${gateway.origin}/api/v1/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "chaos/flat", prompt: "x", max_tokens: 4, ...more }),
  });
  const text = await response.text();
  if (response.status === 402) expect(JSON.parse(text).error.metadata).toHaveProperty("missing_eur");
  return response.status;
}

export async function setCredit(database: Database, amount: string): Promise<string> {
  const [organisation] = await database.prisma.organisation.findMany();
  const orgId = organisation?.id ?? "";
  const { granted } = await readBalance(database, orgId);
  await database.transaction(async (tx) => {
    const less = granted - eur(amount);
    await tx.credit_balance.update({
      where: { account_id: orgId },
      data: { granted_pico_eur: eur(amount).toString() },
    });
    const [from, to] = less < 0n ? ["granted", "credits"] : ["credits", "granted"];
    await tx.$executeRaw`insert into ledger_transfer (id, org_id, from_account, to_account, amount_pico_eur, kind, reason)
      values (gen_random_uuid(), ${orgId}::uuid, ${from}, ${to}, abs(${less.toString()}::numeric), 'adjustment', 'test')`;
  });
  return orgId;
}

export const sound = async (database: Database) =>
  expect((await auditMoney(database, { quiescent: true })).filter(({ broken }) => broken > 0)).toEqual([]);

/** Every answer is booked once at the cost it reported, and no request that the provider saw is missing. */
export async function endedAs(
  database: Database,
  delivered: readonly Delivered[],
  asked: readonly SeenRequest[],
) {
  const generations = new Map((await database.prisma.generation.findMany()).map((row) => [row.id, row]));
  for (const { generationId, costEur } of delivered) {
    const row = generations.get(generationId);
    if (costEur !== null) expect(row?.cost_pico_eur.toFixed()).toBe(eur(String(costEur)).toString());
    else expect(row).toBeDefined();
  }
  const served = new Set(asked.map(({ generation }) => generation ?? ""));
  expect([...served].filter((id) => !generations.has(id))).toEqual([]);
  for (const row of generations.values())
    if (row.status === "completed") expect(served.has(row.id)).toBe(true);
  await sound(database);
}
