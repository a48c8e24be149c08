import { expect, test } from "vitest";
import type { Caller } from "#server/access/caller.ts";
import { AppError } from "#server/platform/errors.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { limits } from "#server/platform/limits.ts";
import { createLog, silentLog } from "#server/platform/log.ts";
import { createOrganisation, openTestDatabase } from "#test/factories.ts";
import { purgeRefusedRequests, RefusedRequests } from "./refused-requests.ts";

const { database, another } = await openTestDatabase();
const { storedPerOrganisationMax, groupsPerOrganisationMax } = limits.refusals;
const { refused_request: rows } = database.prisma;

type Key = Extract<Caller, { kind: "key" }>;

async function caller(): Promise<Key> {
  const { orgId, userId, keyId } = await createOrganisation(database);
  return {
    ...{
      kind: "key",
      orgId,
      userId,
      keyId,
      keyName: "Test key",
      isApp: false,
      hasBounds: false,
      workspaceId: null,
    },
    ...{ permissions: new Set(), allowedModels: null, budgets: [], requestsPerMinute: 60 },
  };
}

const refuse = (refused: RefusedRequests, key: Key, model: string) =>
  refused.note(key, {
    requestId: `request ${model}`,
    operation: "completions",
    model,
    error: new AppError("NOT_FOUND", `Model not found: ${model}`, { param: "model" }),
  });

test("many different refusals of one organisation do not fill the table or hide those of others", async () => {
  const [flooder, other] = [await caller(), await caller()];
  const refused = new RefusedRequests(database, silentLog);
  for (let at = 0; at < 10_000; at++) refuse(refused, flooder, `no/such-${at}`);
  refuse(refused, other, "no/such");
  await refused.flush();
  const flood = await rows.findMany({ where: { org_id: flooder.orgId } });
  expect(flood).toHaveLength(groupsPerOrganisationMax + 1);
  expect(flood.reduce((sum, { count }) => sum + count, 0)).toBe(10_000);
  expect(await rows.count({ where: { org_id: other.orgId } })).toBe(1);
  for (let flush = 0; flush < storedPerOrganisationMax / groupsPerOrganisationMax; flush++) {
    for (let at = 0; at < groupsPerOrganisationMax; at++) refuse(refused, flooder, `later/${flush}-${at}`);
    await refused.flush();
  }
  expect(await rows.count({ where: { org_id: flooder.orgId } })).toBe(storedPerOrganisationMax);
  expect(await rows.count({ where: { org_id: other.orgId } })).toBe(1);
  await refused.close();
});

test("two processes count the same refusals in one row, and none is lost while the database is unavailable", async () => {
  const key = await caller();
  const second = another();
  let unavailable = true;
  const flaky: typeof database = {
    ...database,
    batch: (work) => (unavailable ? Promise.reject(new Error("away")) : database.batch(work)),
  };
  const both = [new RefusedRequests(flaky, silentLog), new RefusedRequests(second, silentLog)];
  for (let round = 0; round < 5; round++) {
    for (const refused of both) for (let at = 0; at < 40; at++) refuse(refused, key, `no/such-${at % 4}`);
    await Promise.all(both.map((refused) => refused.flush()));
  }
  unavailable = false;
  await Promise.all(both.map((refused) => refused.close()));
  const found = await rows.findMany({ where: { org_id: key.orgId } });
  expect(found.map(({ count }) => count)).toEqual([100, 100, 100, 100]);
  expect(found.every(({ request_ids }) => request_ids.length === limits.refusals.requestIdsMax)).toBe(true);
});

test("a row that the database refuses is logged and does not block later ones", async () => {
  const key = await caller();
  const said: string[] = [];
  const refused = new RefusedRequests(
    database,
    createLog("error", (line) => said.push(line)),
  );
  refuse(refused, key, "no/such\u0000\ud800");
  await refused.flush();
  expect(await rows.findMany({ where: { org_id: key.orgId } })).toMatchObject([{ model: "no/such\ufffd" }]);
  expect(said).toEqual([]);
  refuse(refused, { ...key, orgId: "no UUID" }, "no/such");
  await refused.flush();
  expect(said).toHaveLength(1);
  refuse(refused, key, "no/other");
  await refused.close();
  expect(await rows.count({ where: { org_id: key.orgId } })).toBe(2);
});

test("refusals are deleted after the retention time", async () => {
  const key = await caller();
  const refused = new RefusedRequests(database, silentLog);
  refuse(refused, key, "no/such");
  await refused.close();
  await purgeRefusedRequests(database);
  expect(await rows.count({ where: { org_id: key.orgId } })).toBe(1);
  await database.prisma.$executeRaw`
    update refused_request set last_at = now() - interval '31 days' where org_id = ${key.orgId}::uuid`;
  await purgeRefusedRequests(database);
  expect(await rows.count({ where: { org_id: key.orgId } })).toBe(0);
});

test("what limits refuse is counted per limit and minute, by two processes together, and other refusals are not", async () => {
  const key = { ...(await caller()), workspaceId: uuidv7() };
  const budget = { id: uuidv7() };
  const refusals = [
    [{ limit_of: "budget", budget }, "budget", budget.id],
    [{ limit_of: "key" }, "key", key.keyId],
    [{ limit_of: "workspace" }, "workspace", key.workspaceId],
    [{ limit_of: "organisation" }, "organisation", key.orgId],
    [{ limit: "key" }, "key_rate", key.keyId],
    [{ limit: "organisation" }, "organisation_rate", key.orgId],
    [{ limit: "other" }, null, ""],
    [{}, null, ""],
  ] as const;
  const both = [new RefusedRequests(database, silentLog), new RefusedRequests(another(), silentLog)];
  for (const refused of both) {
    for (const [metadata] of refusals) {
      const error = new AppError("RATE_LIMIT_EXCEEDED", "No", { metadata });
      for (let at = 0; at < 3; at++)
        refused.note(key, { requestId: `${at}`, operation: "completions", model: `m/${at}`, error });
    }
  }
  await Promise.all(both.map((refused) => refused.close()));
  const counted = await database.prisma.limit_refusal.groupBy({
    by: ["limit_of", "limit_id"],
    where: { org_id: key.orgId },
    _sum: { count: true },
  });
  const found = counted.map(({ limit_of, limit_id, _sum }) => `${limit_of} ${limit_id} ${_sum.count}`);
  const expected = refusals.flatMap(([, name, id]) => (name === null ? [] : `${name} ${id} 6`));
  expect(found.toSorted()).toEqual(expected.toSorted());
  await database.prisma.limit_refusal.updateMany({ data: { minute: new Date(0) } });
  await purgeRefusedRequests(database);
  expect(await database.prisma.limit_refusal.count()).toBe(0);
});
