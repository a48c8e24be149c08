import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type DataFlowFilter, DataFlowReport, DataFlowRequests } from "#contract/data-flows.ts";
import { record } from "#server/audit/record.ts";
import { clock, dayMs, isoTime } from "#server/platform/clock.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import {
  arbitraryRequests,
  decisionAmong,
  meant,
  recipientsOf,
  storeDecisions,
  triedBy,
} from "#test/data-flows.ts";
import { createOrganisation, generationRow, insertGenerations, openTestDatabase } from "#test/factories.ts";
import { listDataFlowRequests, reportDataFlows } from "./index.ts";
import type { Auditor } from "./selection.ts";

const { database } = await openTestDatabase();
const deps = { database, adequacyOff: new Set<string>() };
const fromMs = Date.UTC(2026, 10, 3);
const hour = { from: isoTime(fromMs), to: isoTime(fromMs + 3_600_000) };
const endpoints = ["a:m", "a:n", "b:m", "c:m"];
const users = ["ada@example.eu", "grace@example.eu"];
const ruleId = uuidv7();
const workspaces = [uuidv7(), uuidv7()];
const decisions = [
  decisionAmong({ "a:m": "FR", "a:n": "NO", "b:m": "CH", "c:m": "CN" }, [ruleId]),
  decisionAmong({ "a:m": "CN", "b:m": "CH" }, [uuidv7(), ruleId]),
  decisionAmong({ "b:m": null, "c:m": "FR" }),
];

const organisation = await createOrganisation(database);
const caller = organisation.caller as Auditor;
const pool = { organisation, decisions, endpoints, users, workspaces, fromMs };
const rows = fc.sample(arbitraryRequests(pool), 400);
await storeDecisions(database, organisation.orgId, decisions);
await insertGenerations(database, rows);

// Another organisation has the same requests.
const stranger = await createOrganisation(database);
await storeDecisions(database, stranger.orgId, decisions);
await insertGenerations(
  database,
  rows.map((row) => ({ ...row, id: uuidv7(), org_id: stranger.orgId })),
);

const report = async (filter: DataFlowFilter) =>
  DataFlowReport.parse(await reportDataFlows(deps, caller, filter, (slug) => slug));

async function every(filter: DataFlowFilter, limit: number) {
  const found: DataFlowRequests["data"] = [];
  let after: string | undefined;
  do {
    const page = DataFlowRequests.parse(
      await listDataFlowRequests(deps, caller, { ...filter, limit, after }),
    );
    found.push(...page.data);
    after = page.next ?? undefined;
  } while (after);
  return found;
}

const hashes = decisions.flatMap(({ facts }) => [...facts.values()].map(({ hash }) => hash));
const asked = fc.record(
  {
    provider: fc.constantFrom("a", "b", "c", "nobody"),
    endpoint: fc.constantFrom(...endpoints),
    area: fc.constantFrom("eu", "eea", "adequate", "third_country", "unknown"),
    country: fc.constantFrom("FR", "CN", "US"),
    facts_hash: fc.constantFrom(...hashes),
    end_user: fc.constantFrom(...users, "nobody"),
    workspace_id: fc.constantFrom(...workspaces),
    rule_id: fc.constantFrom(ruleId, uuidv7()),
  },
  { requiredKeys: [] },
) satisfies fc.Arbitrary<Partial<DataFlowFilter>>;

const byPlace = <T extends { endpoint: string; facts_hash: string | null }>(some: readonly T[]): T[] =>
  some.toSorted((a, b) => (`${a.endpoint} ${a.facts_hash}` < `${b.endpoint} ${b.facts_hash}` ? -1 : 1));

describe("a report of where requests went", () => {
  test("counts exactly the requests, recipients and end users that match, for any filter", async () => {
    await fc.assert(
      fc.asyncProperty(asked, async (filter) => {
        const expected = meant(rows, decisions, { ...hour, ...filter });
        const found = await report({ ...hour, ...filter });
        expect(found.requests).toBe(expected.length);
        expect(found.unsent).toBe(
          expected.filter((row) => !triedBy(row).some(({ reached }) => reached)).length,
        );
        expect(byPlace(found.recipients)).toMatchObject(byPlace(recipientsOf(expected, decisions)));
        const named = users.flatMap((user) => {
          const requests = expected.filter((row) => row.user_reference === user).length;
          return requests === 0 ? [] : [{ end_user: user, requests }];
        });
        expect(found.end_users.data.toSorted((a, b) => (a.end_user < b.end_user ? -1 : 1))).toEqual(named);
        expect(found.end_users.count).toBe(named.length);
        expect(found.api_keys.map(({ requests }) => requests)).toEqual(
          expected.length === 0 ? [] : [expected.length],
        );
      }),
      { numRuns: 150 },
    );
  });

  test("has the names of keys and people, and counts interrupted requests of which no provider is recorded", async () => {
    const found = await report({ ...hour, provider: "nobody" });
    expect(found.requests).toBe(0);
    const unrecorded = rows.filter((row) => row.status === "interrupted" && row.endpoint === null).length;
    const all = await report(hour);
    expect(unrecorded).toBeGreaterThan(0);
    expect([found.unrecorded, all.unrecorded]).toEqual([unrecorded, unrecorded]);
    expect(all.api_keys[0]).toEqual({ id: organisation.keyId, name: "Test key", requests: rows.length });
    expect(all.people[0]).toEqual({ id: organisation.userId, name: "Test person", requests: rows.length });
    expect(all.records_from).toBeNull();
  });

  test("of a period whose first requests were deleted says since when there are records", async () => {
    await database.statement("update history_state set requests_from = '2026-11-01'", []);
    const before = { from: "2026-10-01T00:00:00Z", to: hour.to };
    expect((await report(before)).records_from).toBe("2026-11-01T00:00:00.000Z");
    expect((await report(hour)).records_from).toBeNull();
  });
});

describe("the requests of a report", () => {
  test("are each on one page, newest first, with every recipient in order", async () => {
    await fc.assert(
      fc.asyncProperty(asked, fc.constantFrom(7, 100, 1_000), async (filter, limit) => {
        const expected = meant(rows, decisions, { ...hour, ...filter });
        const found = await every({ ...hour, ...filter }, limit);
        expect(found.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
        expect(
          found.map(({ recipients }) =>
            recipients.map(({ endpoint, outcome, reached }) => ({ endpoint, outcome, reached })),
          ),
        ).toEqual(expected.map(triedBy));
      }),
      { numRuns: 60 },
    );
  });

  test("after a request that is not the organisation's are refused", async () => {
    const after = uuidv7();
    await expect(listDataFlowRequests(deps, caller, { ...hour, limit: 10, after })).rejects.toMatchObject({
      code: "NOT_FOUND",
      param: "after",
    });
  });
});

describe("what else received a request", () => {
  const receivers = ["sent", "private", "residency", "none"] as const;

  test("is counted by what the destination got, also of one that waits or failed, and can be asked for", async () => {
    const one = await createOrganisation(database);
    const reader = one.caller as Auditor;
    const made = receivers.map(() => generationRow(one, "0.1", { started_at: hour.from }));
    await insertGenerations(database, made);
    const [to, other] = await Promise.all(
      ["Traces", "Other"].map((name) =>
        database.prisma.destination.create({
          data: {
            ...{
              name,
              name_key: name.toLowerCase(),
              type: "webhook",
              owner_id: one.orgId,
              org_id: one.orgId,
            },
            ...{
              config: {},
              secrets: "",
              privacy_mode: false,
              sampling_rate: 1,
              enabled: true,
              residency: "de",
            },
          },
        }),
      ),
    );
    const delivery = (destination_id: string, at: number, status: string) => ({
      ...{ id: uuidv7(), destination_id, generation_id: made[at]?.id ?? "", status },
      ...{ content: receivers[at] ?? "", due_at: hour.from },
    });
    await database.prisma.destination_delivery.createMany({
      data: [
        ...made.map((_, at) => delivery(to?.id ?? "", at, "delivered")),
        delivery(other?.id ?? "", 0, "pending"),
        delivery(other?.id ?? "", 1, "failed"),
        delivery(other?.id ?? "", 2, "dropped"),
      ],
    });
    await database.prisma.stored_response.create({
      data: {
        ...{
          id: made[1]?.id ?? "",
          org_id: one.orgId,
          api_key_id: one.keyId,
          status: "completed",
          background: false,
        },
        ...{ streamed: false, item_ids: [], content: "", created_at: hour.from, expires_at: hour.to },
      },
    });
    const found = await reportDataFlows(deps, reader, hour, (slug) => slug);
    const none = {
      ...{ with_content: 0, without_content: 0, impersonal: 0, pending: 0, failed: 0 },
      ...{ earlier: 0, earlier_with_content: 0 },
    };
    expect(found.destinations).toMatchObject([
      { ...none, name: "Other", pending: 1, failed: 2 },
      { ...none, name: "Traces", residency: "de", with_content: 1, without_content: 1, impersonal: 2 },
    ]);
    expect(found.stored).toEqual({ responses: 1, chat_completions: 0 });
    const filter = { ...hour, destination_id: other?.id };
    expect((await reportDataFlows(deps, reader, filter, (slug) => slug)).requests).toBe(3);
    const { data } = await listDataFlowRequests(deps, reader, { ...filter, limit: 10 });
    expect(data.filter(({ is_stored }) => is_stored).map(({ id }) => id)).toEqual([made[1]?.id]);
  });

  test("is known after its delivery is deleted, also if the destination is, from the record of the request", async () => {
    const one = await createOrganisation(database);
    const reader = one.caller as Auditor;
    const gone = uuidv7();
    const to = (content: string, more: object = {}) => ({ content, id: gone, residency: "de", ...more });
    const ago = (days: number) => isoTime(clock.nowMs() - days * dayMs);
    const made = [
      generationRow(one, "0.1", { started_at: ago(5), destinations: [to("sent")] }),
      generationRow(one, "0.1", { started_at: ago(5), destinations: [to("private")] }),
      generationRow(one, "0.1", { started_at: ago(5), destinations: [to("sent", { certain: false })] }),
      // Its filters have searched it, and it has no delivery: it did not pass them.
      generationRow(one, "0.1", { started_at: ago(1), destinations: [to("sent", { certain: false })] }),
      generationRow(one, "0.1", { started_at: ago(1) }),
    ];
    await insertGenerations(database, made);
    await database.transaction((tx) =>
      record(tx, one.caller, { action: "destination.create", subject: { type: "destination", id: gone } }),
    );
    const period = { from: ago(9), to: ago(0) };
    expect((await reportDataFlows(deps, reader, period, (slug) => slug)).destinations).toMatchObject([
      { id: gone, name: null, type: null, residency: "de", earlier: 3, earlier_with_content: 2, pending: 0 },
    ]);
    const filter = { ...period, destination_id: gone };
    const { data } = await listDataFlowRequests(deps, reader, { ...filter, limit: 10 });
    expect(data.map(({ id }) => id).sort()).toEqual(
      made
        .slice(0, 4)
        .map(({ id }) => id)
        .sort(),
    );
  });
});
