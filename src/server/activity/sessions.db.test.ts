import fc from "fast-check";
import { expect, test } from "vitest";
import type { SessionLine, SessionListQuery } from "#contract/session-list.ts";
import { authorize } from "#server/access/authorize.ts";
import type { GenerationRow } from "#server/db/index.ts";
import { isoTime } from "#server/platform/clock.ts";
import {
  createOrganisation,
  generationRow,
  insertGenerations,
  openTestDatabase,
  type TestOrganisation,
} from "#test/factories.ts";
import { listSessions } from "./index.ts";

const { database } = await openTestDatabase();
const noon = Date.UTC(2026, 10, 20, 12);

const readerOf = ({ caller }: TestOrganisation) =>
  authorize({ ...caller, permissions: new Set(["activity:read"]) }, "activity:read", "workspace");

async function every(
  organisation: TestOrganisation,
  query: Omit<SessionListQuery, "after">,
  bounds?: Parameters<typeof listSessions>[3],
): Promise<SessionLine[]> {
  const found: SessionLine[] = [];
  let after: SessionListQuery["after"];
  do {
    const page = await listSessions(database, readerOf(organisation), { ...query, after }, bounds);
    found.push(...page.data);
    after = page.next ?? undefined;
  } while (after);
  return found;
}

const arbitraryRequest = fc.record({
  // Few values, so that requests meet in sessions and in milliseconds.
  ms: fc.integer({ min: 0, max: 12 }),
  session_id: fc.option(fc.constantFrom("a", "b", "c", "d", "e")),
  model: fc.constantFrom("m/one", "m/two"),
  status: fc.constantFrom("completed", "failed"),
  pico: fc.integer({ min: 0, max: 1_000 }),
});
type Request = typeof arbitraryRequest extends fc.Arbitrary<infer T> ? T : never;

const rowOf = (organisation: TestOrganisation, { ms, pico, ...more }: Request): GenerationRow =>
  generationRow(organisation, "0.1", {
    ...more,
    ...{
      started_at: isoTime(noon + ms),
      cost_pico_eur: String(pico),
      prompt_tokens: 3,
      completion_tokens: 2,
    },
  });

const byNewest = (a: GenerationRow, b: GenerationRow): number =>
  a.started_at === b.started_at ? (a.id < b.id ? -1 : 1) : a.started_at < b.started_at ? 1 : -1;

/** What the list has to be, from all rows: of each session, the matching ones among the newest from the newest match. */
function expected(
  rows: readonly GenerationRow[],
  matches = (_: GenerationRow): boolean => true,
  requestsMax = Number.POSITIVE_INFINITY,
) {
  const sessions = Map.groupBy(rows.toSorted(byNewest), ({ session_id }) => session_id);
  sessions.delete(null);
  const counted = [...sessions].flatMap(([session_id, all]) => {
    const newest = all.find(matches);
    if (!newest) return [];
    const from = all.slice(all.indexOf(newest));
    const own = from.slice(0, requestsMax).filter(matches);
    return [{ session_id, newest, own, has_more: from.length > requestsMax }];
  });
  counted.sort((a, b) => byNewest(a.newest, b.newest));
  return counted.map(({ session_id, own, has_more }) => ({
    session_id,
    has_more,
    requests: own.length,
    failed: own.filter(({ status }) => status === "failed").length,
    first_at: own.at(-1)?.started_at,
    last_at: own[0]?.started_at,
    tokens_in: 3 * own.length,
    tokens_out: 2 * own.length,
    pico: own.reduce((sum, { cost_pico_eur }) => sum + Number(cost_pico_eur), 0),
  }));
}

const seen = (lines: readonly SessionLine[]) =>
  lines.map(({ models: _, api_key_id: __, app_title: ___, user_reference: ____, cost_eur, ...line }) => ({
    ...line,
    pico: Math.round(Number(cost_eur) * 1e12),
  }));

test("every session is listed once with the sums of its matching requests, whatever the size of pages", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(arbitraryRequest, { maxLength: 40 }),
      fc.integer({ min: 1, max: 6 }),
      fc.constantFrom(3, 10, 1_000),
      async (requests, limit, scannedMax) => {
        const organisation = await createOrganisation(database);
        const bounds = { scannedMax, requestsMax: 1_000 };
        const rows = requests.map((request) => rowOf(organisation, request));
        await insertGenerations(database, rows);
        expect(seen(await every(organisation, { limit }, bounds))).toEqual(expected(rows));
        const found = await every(organisation, { limit, status: ["failed"] }, bounds);
        expect(seen(found)).toEqual(expected(rows, ({ status }) => status === "failed"));
      },
    ),
    { numRuns: 40 },
  );
});

test("of a session with many requests the newest ones are counted, and it says that there are more", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(arbitraryRequest, { maxLength: 40 }),
      fc.integer({ min: 1, max: 8 }),
      async (requests, requestsMax) => {
        const organisation = await createOrganisation(database);
        const rows = requests.map((request) => rowOf(organisation, request));
        await insertGenerations(database, rows);
        const bounds = { scannedMax: 1_000, requestsMax };
        expect(seen(await every(organisation, { limit: 10 }, bounds))).toEqual(
          expected(rows, () => true, requestsMax),
        );
        // One page: a later one may repeat a session whose first newer requests do not match.
        const failed = await every(organisation, { limit: 100, status: ["failed"] }, bounds);
        expect(seen(failed)).toEqual(expected(rows, ({ status }) => status === "failed", requestsMax));
      },
    ),
    { numRuns: 40 },
  );
});

test("a session names its models by use, and key, app and end user of its newest request", async () => {
  const organisation = await createOrganisation(database);
  const session_id = "run-1";
  await insertGenerations(
    database,
    [
      { model: "m/rare", app_title: "Old", user_reference: "ada" },
      { model: "m/often", app_title: null, user_reference: null },
      { model: "m/often", app_title: "New", user_reference: "grace" },
    ].map((more, at) =>
      generationRow(organisation, "0.1", { ...more, session_id, started_at: isoTime(noon + at) }),
    ),
  );
  const [line] = await every(organisation, { limit: 10 });
  expect(line).toMatchObject({
    models: ["m/often", "m/rare"],
    ...{ api_key_id: organisation.keyId, app_title: "New", user_reference: "grace" },
  });
});
