import pLimit from "p-limit";
import { expect, test } from "vitest";
import { createCaller } from "#server/api/root.ts";
import { appErrorOf } from "#server/api/trpc.ts";
import type { AppError } from "#server/platform/errors.ts";
import { until } from "#test/until.ts";
import { breakStatements, passingErrors } from "./broken-statements.ts";
import { codeFor, exchange } from "./connecting.ts";
import { inputOf, operations, type PlannedOperation } from "./operation-plans.ts";
import { type PopulatedOrganisation, populateOrganisation } from "./populated-organisation.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer();
const { services } = server;
const mutations = operations.filter(
  ({ name, type }) => type === "mutation" && !name.startsWith("inference."),
);
const timeout = passingErrors["57014 statement timeout"] as () => Error;

async function ask(operation: PlannedOperation, ours: PopulatedOrganisation): Promise<AppError | null> {
  const { caller, userId, sessionId } = ours;
  const context = {
    services,
    caller,
    person: operation.meta.personal ? { userId, sessionId, email: "ada@test.example" } : null,
    requestId: "commits",
    ipAddress: null,
    signal: AbortSignal.timeout(10_000),
  };
  let found: unknown = createCaller(context);
  for (const part of operation.name.split(".")) found = (found as Record<string, unknown>)[part];
  try {
    await (found as (input: unknown) => Promise<unknown>)(inputOf(operation, ours));
    return null;
  } catch (thrown) {
    return appErrorOf(thrown);
  }
}

/** The clock's own rows, and those of jobs. */
const moving = new Set([
  ...["credit_lease", "rate_window", "instance_heartbeat"],
  ...["log_tree", "log_tile", "log_bundle", "log_pending"],
]);

/** A digest of each table. */
async function databaseState(): Promise<Record<string, string>> {
  const { statement } = services.database;
  const tables = await statement<{ name: string }>(
    `select table_name as name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`,
    [],
  );
  const digests = tables
    .filter(({ name }) => !moving.has(name))
    .map(
      ({
        name,
      }) => `select '${name}' as name, md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as digest
      from "${name}" t`,
    );
  const rows = await statement<{ name: string; digest: string }>(digests.join(" union all "), []);
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]));
}

/** The state once jobs that go on by themselves have ended. */
async function quietState(): Promise<Record<string, string>> {
  await services.billing.drain();
  await services.refusedRequests.flush();
  let before = await databaseState();
  return until(async () => {
    const last = before;
    before = await databaseState();
    expect(before).toEqual(last);
    return before;
  });
}

/** What differs after an operation that fails at its commit; empty when it reached none. Jobs may come in between. */
async function changedBy(operation: PlannedOperation, ours: PopulatedOrganisation): Promise<string[]> {
  const before = await quietState();
  const broken = breakStatements((text) => (/^commit/i.test(text) ? timeout() : null));
  const error = await ask(operation, ours);
  broken.restore();
  if (broken.count() === 0) return [];
  if (!committing.includes(operation)) committing.push(operation);
  expect(error, operation.name).toMatchObject({ status: 503, code: "SERVICE_UNAVAILABLE" });
  expect(error?.message, operation.name).not.toContain("may have taken effect");
  const after = await databaseState();
  return Object.keys(after).filter((name) => after[name] !== before[name]);
}

const committing: PlannedOperation[] = [];

test("every 503 before a commit has changed nothing", async () => {
  const ours = await populateOrganisation(server);
  for (const operation of mutations) {
    await until(async () => expect(await changedBy(operation, ours), operation.name).toEqual([]));
  }
  expect(committing.length).toBeGreaterThan(25);
}, 120_000);

test("a committed change is answered as done, even if the database fails right afterwards", async () => {
  // Made beforehand, because each waits a while for an answer in the background.
  const few = pLimit(4);
  const made = await Promise.all(
    committing.map((operation) => few(async () => [operation, await populateOrganisation(server)] as const)),
  );
  for (const [operation, ours] of made) {
    let committed = false;
    const broken = breakStatements((text) => {
      if (committed) return timeout();
      committed = /^commit/i.test(text);
      return null;
    });
    const error = await ask(operation, ours);
    broken.restore();
    expect(error, `${operation.name}: ${error?.message}`).toBeNull();
  }
}, 240_000);

test("a code whose exchange was not committed can be exchanged, and its key works", async () => {
  const code = await codeFor(server, "app.example.eu");
  const broken = breakStatements((text) => (/^commit/i.test(text) ? timeout() : null));
  const refused = await exchange(server, code);
  broken.restore();
  expect(refused.status).toBe(503);
  const issued = await exchange(server, code);
  expect(issued.status).toBe(200);
  const { key } = (await issued.json()) as { key: string };
  expect((await server.send("GET", "/key", { key })).status).toBe(200);
});

test("if the answer to a commit is lost, the client learns that it may have taken effect", async () => {
  const ours = await populateOrganisation(server);
  const create = mutations.find(({ name }) => name === "keys.create");
  if (!create) throw new Error("There is no keys.create");
  const broken = breakStatements((text) =>
    /^commit/i.test(text) ? new Error("Connection terminated unexpectedly") : null,
  );
  const error = await ask(create, ours);
  broken.restore();
  expect(error).toMatchObject({ status: 503 });
  expect(error?.message).toBe(
    "The database does not answer at the moment. The request may have taken effect",
  );
});
