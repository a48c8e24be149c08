import { describe, expect, test } from "vitest";
import type { GenerationLine, GenerationListQuery } from "#contract/generation.ts";
import { type Authorized, authorize } from "#server/access/authorize.ts";
import type { BasisBody } from "#server/db/index.ts";
import { isoTime } from "#server/platform/clock.ts";
import { createOrganisation, generationRow, insertGenerations, openTestDatabase } from "#test/factories.ts";
import { findGeneration, generationVolume, listGenerations } from "./index.ts";

const { database } = await openTestDatabase();
const noon = Date.UTC(2026, 10, 20, 12);
const minuteMs = 60_000;

type Organisation = Awaited<ReturnType<typeof createOrganisation>>;
type Overrides = NonNullable<Parameters<typeof generationRow>[2]>;

const readerOf = ({ caller }: Organisation) =>
  authorize({ ...caller, permissions: new Set(["activity:read"]) }, "activity:read", "workspace");

async function serve(organisation: Organisation, minutesAgo: number, overrides: Overrides = {}) {
  const row = generationRow(organisation, "0.000000000001", {
    started_at: isoTime(noon - minutesAgo * minuteMs),
    ...overrides,
  });
  await insertGenerations(database, [row]);
  return row.id;
}

const ids = (lines: readonly GenerationLine[]) => lines.map(({ id }) => id);

async function every(
  caller: Authorized<"activity:read">,
  query: Omit<GenerationListQuery, "after">,
  scannedMax?: number,
): Promise<string[]> {
  const found: string[] = [];
  let after: GenerationListQuery["after"];
  do {
    const page = await listGenerations(database, caller, { ...query, after }, scannedMax);
    found.push(...ids(page.data));
    after = page.next ?? undefined;
  } while (after);
  return found;
}

test("the pages contain every row once, newest first, also for rows of the same millisecond", async () => {
  const organisation = await createOrganisation(database);
  const [first, ...rest] = await Promise.all([0, 1, 1, 1, 2].map((ago) => serve(organisation, ago)));
  const last = rest.pop();
  const made = [first, ...rest.sort(), last];
  for (const limit of [1, 2, 3, 5]) {
    const found = await every(readerOf(organisation), { limit });
    expect(found).toEqual(made);
  }
});

const organisation = await createOrganisation(database);
const caller = readerOf(organisation);
const plain = await serve(organisation, 10, {
  ...{ app_title: "Chat", user_reference: "ada", tags: { team: "a" }, region: "DE" },
  ...{ prompt_tokens: 1, completion_tokens: 1, latency_ms: 5, duration_ms: 10, cost_pico_eur: "500" },
});
const failed = await serve(organisation, 20, {
  ...{ prompt_tokens: 0, completion_tokens: 0, latency_ms: null, duration_ms: 5, cost_pico_eur: "0" },
  status: "failed",
  error_code: "PROVIDER_ERROR",
  http_status: 502,
  provider: null,
  model: null,
  model_requested: "other/model",
});
const cancelled = await serve(organisation, 30, {
  status: "cancelled",
  ...{
    region: "FR",
    prompt_tokens: 10,
    completion_tokens: 0,
    latency_ms: 3,
    duration_ms: 20,
    cost_pico_eur: "900",
  },
  session_id: "session-7",
  request_id: "request-7",
  provider: "sandbox-fr",
});

describe("a filter", () => {
  test.each<[Partial<GenerationListQuery>, string[]]>([
    [{}, [plain, failed, cancelled]],
    [{ status: ["failed", "cancelled"] }, [failed, cancelled]],
    [{ status: [] }, [plain, failed, cancelled]],
    [{ model: "other/model" }, [failed]],
    [{ provider: "sandbox-fr" }, [cancelled]],
    [{ error_code: "PROVIDER_ERROR" }, [failed]],
    [{ region: "FR" }, [cancelled]],
    [{ app_title: "Chat" }, [plain]],
    [{ user_reference: "ada" }, [plain]],
    [{ user_reference: "ada", app_title: "other" }, []],
    [{ api_key_id: organisation.keyId }, [plain, failed, cancelled]],
    [{ api_key_id: organisation.orgId }, []],
    [{ find: "session-7" }, [cancelled]],
    [{ find: "request-7" }, [cancelled]],
    [{ find: plain }, [plain]],
    [{ find: `gen-${plain}` }, [plain]],
    [{ find: "' or true --" }, []],
    [{ from: isoTime(noon - 25 * minuteMs), to: isoTime(noon - 15 * minuteMs) }, [failed]],
  ])("%j returns the matching rows", async (filter, expected) => {
    expect(await every(caller, { limit: 50, ...filter })).toEqual(expected);
    for (const scannedMax of [1, 2, 3]) {
      expect(await every(caller, { limit: 50, ...filter }, scannedMax)).toEqual(expected);
    }
  });

  test.each<[NonNullable<GenerationListQuery["sort"]>, string[]]>([
    ["cost", [cancelled, plain, failed]],
    ["tokens", [cancelled, plain, failed]],
    ["first_token", [plain, cancelled, failed]],
    ["duration", [cancelled, plain, failed]],
    ["attempts", [plain, failed, cancelled]],
  ])("sorted by %s returns the greatest first, in one page", async (sort, expected) => {
    const page = await listGenerations(database, caller, { limit: 50, sort });
    expect([ids(page.data), page.next, page.sorted_from]).toEqual([expected, null, null]);
    const first = await listGenerations(database, caller, { limit: 1, sort });
    expect([ids(first.data), first.next]).toEqual([expected.slice(0, 1), null]);
  });

  test("sorted compares the newest only, and says since when", async () => {
    const page = await listGenerations(database, caller, { limit: 50, sort: "cost" }, 2);
    expect(ids(page.data).toSorted()).toEqual([plain, failed].toSorted());
    expect(page.sorted_from).toBe(isoTime(noon - 20 * minuteMs));
  });

  test("a line has what the app said of the request", async () => {
    const { data } = await listGenerations(database, caller, { limit: 50, find: plain });
    expect(data[0]).toMatchObject({
      ...{ region: "DE", app_title: "Chat", user_reference: "ada", session_id: null, tags: { team: "a" } },
    });
  });

  test("is compared with a limited number of rows for each page, which then may be empty", async () => {
    const page = await listGenerations(database, caller, { limit: 50, status: ["cancelled"] }, 2);
    expect(page).toMatchObject({ data: [], next: { started_at: isoTime(noon - 20 * minuteMs), id: failed } });
  });

  test("that is an id finds a request however old it is", async () => {
    const page = await listGenerations(database, caller, { limit: 50, find: "request-7" }, 1);
    expect([ids(page.data), page.next]).toEqual([[cancelled], null]);
  });

  test("the volume counts the rows of the list by status", async () => {
    const { step_ms, buckets } = await generationVolume(database, caller, {
      from: isoTime(noon - 60 * minuteMs),
      to: isoTime(noon),
    });
    expect(step_ms).toBe(minuteMs);
    expect(buckets).toHaveLength(60);
    expect(buckets[30]).toEqual({
      start: isoTime(noon - 30 * minuteMs),
      completed: 0,
      failed: 0,
      cancelled: 1,
      interrupted: 0,
    });
    expect([buckets[50]?.completed, buckets[40]?.failed]).toEqual([1, 1]);
  });
});

const attempt = {
  provider: "sandbox-de",
  endpoint: "sandbox-de:x",
  outcome: "ok",
  status: 200,
  duration_ms: 5,
};
const decided = {
  model: "x",
  strategy: "balanced",
  rules: ["rule-1"],
  rule_count: 1,
  excluded: [{ endpoint: "sandbox-us:x", excluded_by: "data_residency", set_by: "org" }],
};
const basis: BasisBody = {
  endpoints: ["sandbox-de:x", "sandbox-fr:x"],
  models: [{ ...decided, preferences: { data_residency: "eu" } }],
};
const jsonOf = (body: BasisBody) => JSON.parse(JSON.stringify(body)) as object;
const decision_hash = `\\x${"ab".repeat(32)}`;

describe("one generation shows attempts, reasons and exact cost", () => {
  const shown = {
    tries: [attempt],
    cost: {
      eur: "0.000000000001",
      details: { completion: "0.000000000300" },
      details_currency: "EUR",
      usd_per_eur: "1.1596",
    },
  };
  const ranked = ["sandbox-fr:x", "sandbox-de:x"];

  test("from its row and the basis that its organisation stores once", async () => {
    const [ours, theirs] = [await createOrganisation(database), await createOrganisation(database)];
    const other = { ...basis, models: [] };
    const hash = Buffer.from(decision_hash.slice(2), "hex");
    await database.prisma.decision_basis.createMany({
      data: [
        { org_id: ours.orgId, hash, body: jsonOf(basis), seen_on: new Date(noon) },
        { org_id: theirs.orgId, hash, body: jsonOf(other), seen_on: new Date(noon) },
      ],
    });
    const id = await serve(ours, 1, {
      ...{ decision_hash, ranked: [[1, 0]] },
      ...{ endpoint: attempt.endpoint, provider: attempt.provider, attempts: null, attempt_ms: 5 },
      cost_parts: "EUR 0 0 0 400 0 0 0 0 300 0",
    });
    const found = await findGeneration(database, readerOf(ours), id);
    const models = [{ ...decided, preferences: { data_residency: "eu" }, ranked }];
    expect(found).toMatchObject({ id, attempts: 1, ...shown, decision: { models } });
    expect((await every(readerOf(ours), { limit: 10, find: id })).length).toBe(1);
  });

  test("from the row of an earlier version alone", async () => {
    const organisation = await createOrganisation(database);
    const row = generationRow(organisation, "0.000000000001", {
      attempts: [{ ...attempt, api: "responses" }],
    });
    const older = {
      decision: { models: [{ ...decided, ranked }] },
      cost_details: { currency: "EUR", completion_pico_usd: "400", completion_pico_eur: "300" },
    };
    await insertGenerations(database, [{ ...row, ...older }]);
    expect(await findGeneration(database, readerOf(organisation), row.id)).toMatchObject({
      ...shown,
      tries: [{ ...attempt, api: "responses" }],
      decision: { models: [{ ...decided, ranked }] },
    });
  });
});

test("a generation of another organisation is not found, like one that does not exist", async () => {
  const [ours, theirs] = [await createOrganisation(database), await createOrganisation(database)];
  const id = await serve(theirs, 1);
  const known = findGeneration(database, readerOf(ours), id);
  await expect(known).rejects.toMatchObject({ code: "NOT_FOUND", message: "No such generation" });
  await expect(findGeneration(database, readerOf(ours), theirs.orgId)).rejects.toMatchObject({
    code: "NOT_FOUND",
    message: "No such generation",
  });
  expect(await every(readerOf(ours), { limit: 10, find: id })).toEqual([]);
});
