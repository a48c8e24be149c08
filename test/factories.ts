import { afterAll } from "vitest";
import type { SystemCaller } from "#server/access/caller.ts";
import { permissions as everyPermission, type Permission } from "#server/access/permissions.ts";
import { bookUsage, type GenerationRow, grantCredit } from "#server/billing/index.ts";
import { type Database, openDatabase } from "#server/db/index.ts";
import { mintKey, storeKey } from "#server/keys/index.ts";
import { clock, isoTime } from "#server/platform/clock.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { silentLog } from "#server/platform/log.ts";
import { createMetrics } from "#server/platform/metrics.ts";
import { picoFromDecimal } from "#server/platform/money.ts";
import { testSeal } from "./seal.ts";
import { createTestDatabase, type TestDatabase } from "./test-database.ts";

export const keyPrefix = "ptl";

export interface OpenTestDatabase extends TestDatabase {
  readonly database: Database;
  /** One more pool over the same database, as another process would have it. Closed with the file. */
  another(): Database;
}

/** Call at the top of a test file: its database and everything opened on it are gone after the last test. */
export async function openTestDatabase(): Promise<OpenTestDatabase> {
  const made = await createTestDatabase();
  const opened: Database[] = [];
  const another = () => {
    const database = openDatabase(made.connection, createMetrics(), silentLog, testSeal);
    opened.push(database);
    return database;
  };
  afterAll(async () => {
    await Promise.all(opened.map((database) => database.close()));
    await made.close();
  });
  return { ...made, database: another(), another };
}

export interface TestOrganisation {
  readonly orgId: string;
  readonly userId: string;
  readonly keyId: string;
  readonly key: string;
  readonly caller: SystemCaller;
}

/** A new organisation with a person, credit and an API key, strange to all others. */
export async function createOrganisation(
  database: Database,
  {
    creditEur = "10",
    permissions = everyPermission,
  }: { creditEur?: string; permissions?: readonly Permission[] } = {},
): Promise<TestOrganisation> {
  const [orgId, userId] = [uuidv7(), uuidv7()];
  const caller: SystemCaller = { kind: "system", orgId, userId, permissions: new Set() };
  const key = mintKey(keyPrefix);
  const keyId = await database.transaction(async (tx) => {
    await tx.organisation.create({ data: { id: orgId, name: "Test organisation", slug: `test-${orgId}` } });
    await tx.user.create({ data: { id: userId, name: "Test person", email: `${userId}@test.example` } });
    await tx.member.create({ data: { org_id: orgId, user_id: userId, role: "owner" } });
    await grantCredit(tx, caller, orgId, picoFromDecimal(creditEur), "For a test");
    return storeKey(tx, caller, key, keyPrefix, { name: "Test key", orgId, userId, permissions });
  });
  return { orgId, userId, keyId, key, caller };
}

/** A finished generation of an organisation that cost `costEur`. */
export function generationRow(
  { orgId, userId, keyId }: Pick<TestOrganisation, "orgId" | "userId" | "keyId">,
  costEur = "0.001",
  overrides: Partial<GenerationRow> = {},
): GenerationRow {
  const cost = picoFromDecimal(costEur).toString();
  return {
    id: uuidv7(),
    request_id: uuidv7(),
    org_id: orgId,
    user_id: userId,
    api_key_id: keyId,
    workspace_id: null,
    operation: "completions",
    model_requested: "sandbox/chat",
    model: "sandbox/chat",
    provider: "sandbox-de",
    endpoint: "sandbox-de:sandbox/chat",
    region: "DE",
    status: "completed",
    error_code: null,
    http_status: 200,
    finish_reason: "stop",
    native_finish_reason: "stop",
    streamed: false,
    cancelled: false,
    strategy: "lowest-cost",
    attempts: [],
    attempt_ms: null,
    decision_hash: null,
    ranked: null,
    parameters: {},
    input_modalities: [],
    output_modalities: [],
    prompt_tokens: 10,
    completion_tokens: 20,
    cached_tokens: 0,
    cache_write_tokens: 0,
    reasoning_tokens: 0,
    search_units: 0,
    usage_estimated: false,
    usage_implausible: false,
    is_byok: false,
    credential_id: null,
    price_version: "test",
    fx_usd_per_eur: "1.1596",
    fx_date: "2026-08-31",
    cost_pico_usd: cost,
    cost_pico_eur: cost,
    upstream_pico_usd: cost,
    cost_parts: null,
    user_reference: null,
    session_id: null,
    app_title: null,
    started_at: isoTime(clock.nowMs()),
    latency_ms: 5,
    duration_ms: 9,
    ...overrides,
  };
}

/** Columns that rows of earlier versions have. */
interface OlderColumns {
  readonly decision?: object;
  readonly cost_details?: object;
}

/** Inserts rows and their sums as booking does, without their charges. */
export async function insertGenerations(
  database: Database,
  rows: readonly (GenerationRow & OlderColumns)[],
): Promise<void> {
  await database.batch(async (client) => {
    const text = "insert into generation select * from json_populate_recordset(null::generation, $1::json)";
    await client.query(text, [JSON.stringify(rows)]);
    await bookUsage(client, rows);
  });
}
