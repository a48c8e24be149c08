import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SubjectExport } from "#contract/data-subjects.ts";
import { bookGenerations } from "#server/billing/book-generations.ts";
import { type GenerationRow, receipted } from "#server/db/index.ts";
import { eraseSubject } from "#server/evidence/subjects/erase-subject.ts";
import {
  createErasure,
  type DataOfficer,
  getErasure,
  listErasures,
} from "#server/evidence/subjects/erasures.ts";
import { exportSubject } from "#server/evidence/subjects/export-subject.ts";
import { openQueue } from "#server/jobs/queue.ts";
import { clock, isoTime } from "#server/platform/clock.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { silentLog } from "#server/platform/log.ts";
import { createRowSeal } from "#server/platform/row-seal.ts";
import { createSealer } from "#server/platform/sealing.ts";
import { subjectPurpose } from "#server/subjects/index.ts";
import { bookTags } from "#server/tags/index.ts";
import { arbitraryGeneration } from "#test/arbitrary-generations.ts";
import { directoryOfFile } from "#test/directories.ts";
import {
  createOrganisation,
  generationRow,
  openTestDatabase,
  type TestOrganisation,
} from "#test/factories.ts";

const { connection, database } = await openTestDatabase();
const { prisma } = database;
const queue = await openQueue(connection, database, silentLog);
const keys = [randomBytes(32), randomBytes(32)] as const;
const deps = {
  ...{ database, queue, sealer: createSealer([keys[0]]) },
  subjectSeal: createRowSeal([keys[0]], subjectPurpose),
  config: { dataDir: directoryOfFile() },
};
const { signal } = new AbortController();
const ada = "ada-canary@example.eu";
const gone = uuidv7();
const officerOf = ({ caller }: TestOrganisation) => caller as DataOfficer;

/** Books requests as they end, with their sums and tags. */
async function book(rows: readonly GenerationRow[]): Promise<void> {
  await bookGenerations(
    database,
    rows.map((row) => ({ instanceId: uuidv7(), row, ...receipted(row) })),
    { writers: [bookTags] },
  );
}

const personal = (user: string) => ({
  ...{ user_reference: user, session_id: `session of ${user}`, app_title: `App of ${user}` },
  ...{ personal_salt: "\\x0102030405060708090a0b0c", tags: { end_user: user } },
  destinations: [{ content: "sent", id: gone, residency: null }],
});

async function erase(organisation: TestOrganisation, more: object, dry_run = false) {
  const made = await createErasure(deps, officerOf(organisation), { dry_run, ...more });
  await eraseSubject(deps, { id: made.id, again: false }, signal);
  return getErasure(database, officerOf(organisation), made.id);
}

/** Every row of every table that contains a text, except the job queue's. */
async function tablesWith(text: string): Promise<string[]> {
  const tables = await prisma.$queryRaw<{ name: string }[]>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'`;
  const found: string[] = [];
  for (const { name } of tables) {
    const [row] = await database.statement<{ count: number }>(
      `select count(*)::int as count from "${name}" as t where to_jsonb(t)::text like $1`,
      [`%${text}%`],
    );
    if ((row?.count ?? 0) > 0) found.push(name);
  }
  return found;
}

describe("an erasure of an end user", () => {
  test("removes every trace of them from the database, and leaves others, amounts and sums as they were", async () => {
    const organisation = await createOrganisation(database);
    const rows = [ada, "grace@example.eu"].flatMap((user) =>
      [1, 2, 3].map(() => generationRow(organisation, "0.1", personal(user))),
    );
    await book(rows);
    const budget = await prisma.budget.create({
      data: {
        ...{ org_id: organisation.orgId, name: "Each", measure: "requests", amount: 2, period: "total" },
        dimensions: [{ dimension: "end_user", value: null }],
      },
    });
    const rule = await prisma.alert_rule.create({
      data: {
        org_id: organisation.orgId,
        name: "Each",
        kind: "budget",
        settings: {},
        scope: "organisation",
        enabled: true,
      },
    });
    const titles = [
      `Budget Each for ${ada} reached 80 %`,
      `Budget Each for team, ${ada}, x reached 80 %`,
      "Budget a",
    ];
    await prisma.alert_incident.createMany({
      data: titles.map((title, at) => ({
        ...{ id: uuidv7(), org_id: organisation.orgId, rule_id: rule.id, rule_name: "Each", kind: "budget" },
        ...{ scope: "organisation", subject: `${at}`, title, detail: "", opened_at: isoTime(clock.nowMs()) },
      })),
    });
    await prisma.budget_counter.create({
      data: { account_id: uuidv7(), budget_id: budget.id, values: [ada] },
    });
    expect(await tablesWith(ada)).not.toEqual([]);
    const sums = () =>
      prisma.usage_tag_day.aggregate({
        where: { org_id: organisation.orgId },
        _sum: { cost_pico_eur: true, requests: true },
      });
    const before = await sums();
    const dry = await erase(organisation, { end_user: ada }, true);
    expect(await tablesWith(ada)).not.toEqual([]);
    const done = await erase(organisation, { end_user: ada, reference: "Case 7" });
    expect(await tablesWith(ada)).toEqual([]);
    expect(done).toMatchObject({
      ...{ status: "done", reference: "Case 7", subject_type: "end_user" },
      destinations: [{ id: gone, name: null, traces: 3, with_content: 3 }],
      counts: { requests: 3, personal_records: 3, usage_rows: 1, budget_counters: 1, alert_incidents: 2 },
    });
    expect(dry.counts).toEqual(done.counts);
    const incidents = await prisma.alert_incident.findMany({
      where: { rule_id: rule.id },
      orderBy: { subject: "asc" },
    });
    expect(incidents.map(({ title }) => title)).toEqual([
      "Budget Each for (erased) reached 80 %",
      "Budget Each for team, (erased), x reached 80 %",
      "Budget a",
    ]);
    expect(await sums()).toEqual(before);
    expect(await prisma.generation.count({ where: { user_reference: "grace@example.eu" } })).toBe(3);
    const costs = await prisma.generation.findMany({ where: { org_id: organisation.orgId } });
    expect(costs.map((row) => row.cost_pico_eur.toFixed())).toEqual(rows.map((row) => row.cost_pico_eur));
  });

  test("of an organisation leaves the same end user of another as they were", async () => {
    const [ours, theirs] = [await createOrganisation(database), await createOrganisation(database)];
    await book([ours, theirs].map((one) => generationRow(one, "0.1", personal(ada))));
    await erase(ours, { end_user: ada });
    expect(
      await prisma.generation.findMany({ where: { user_reference: ada }, select: { org_id: true } }),
    ).toEqual([{ org_id: theirs.orgId }]);
    await erase(theirs, { end_user: ada });
  });

  test("is found again by the person, under a previous key too, and only by who asks in the organisation", async () => {
    const organisation = await createOrganisation(database);
    const { id } = await erase(organisation, { end_user: ada });
    const later = { database, subjectSeal: createRowSeal([keys[1], keys[0]], subjectPurpose) };
    const found = (asked: object) => listErasures(later, officerOf(organisation), asked);
    expect((await found({ end_user: ada })).data.map((one) => one.id)).toEqual([id]);
    expect((await found({ end_user: "grace@example.eu" })).data).toEqual([]);
    expect((await found({ user_id: organisation.userId })).data).toEqual([]);
    const stranger = await createOrganisation(database);
    expect((await listErasures(later, officerOf(stranger), { end_user: ada })).data).toEqual([]);
    await expect(getErasure(database, officerOf(stranger), id)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("is recorded at its beginning and its end, without the person", async () => {
    const organisation = await createOrganisation(database);
    await book([generationRow(organisation, "0.1", personal(ada))]);
    const { id, subject_hash } = await erase(organisation, { end_user: ada });
    await erase(organisation, { end_user: ada }, true);
    const entries = await prisma.audit_entry.findMany({
      where: { org_id: organisation.orgId, action: { startsWith: "erasure." } },
      orderBy: { position: "asc" },
    });
    expect(entries.map(({ action, actor_type }) => [action, actor_type])).toEqual([
      ["erasure.create", "system"],
      ["erasure.complete", "system"],
      ["erasure.create", "system"],
    ]);
    expect(entries[1]).toMatchObject({ subject_id: id, after: { subject_hash, counts: { requests: 1 } } });
    expect(JSON.stringify(entries.map(({ after }) => after))).not.toContain(ada);
  });

  test("is repeated for requests that were in progress, and then forgets the person", async () => {
    const organisation = await createOrganisation(database);
    const { id } = await erase(organisation, { end_user: ada });
    const subject = () => prisma.erasure.findUniqueOrThrow({ where: { id }, select: { subject: true } });
    expect((await subject()).subject).not.toBeNull();
    const late = generationRow(organisation, "0.1", {
      ...personal(ada),
      started_at: isoTime(clock.nowMs() - 60_000),
    });
    await book([late]);
    await eraseSubject(deps, { id, again: true }, signal);
    expect(await subject()).toEqual({ subject: null });
    expect(await tablesWith(ada)).toEqual([]);
    // Whatever is repeated then changes nothing.
    await eraseSubject(deps, { id, again: true }, signal);
  });
});

test("an erasure of a key that finds nothing more the second time is not recorded again", async () => {
  const organisation = await createOrganisation(database);
  await book([generationRow(organisation, "0.1", personal(ada))]);
  const { id } = await erase(organisation, { api_key_id: organisation.keyId });
  await eraseSubject(deps, { id, again: true }, signal);
  const completed = { org_id: organisation.orgId, action: "erasure.complete" };
  expect(await prisma.audit_entry.count({ where: completed })).toBe(1);
  expect(await prisma.erasure.findUnique({ where: { id }, select: { subject: true } })).toEqual({
    subject: null,
  });
});

test("an erasure that is stopped continues, and ends with the same counts", async () => {
  const organisation = await createOrganisation(database);
  const rows = Array.from({ length: 30 }, (_, at) =>
    generationRow(organisation, "0.1", { ...personal(at % 3 === 0 ? ada : "grace@example.eu") }),
  );
  await book(rows);
  const made = await createErasure(deps, officerOf(organisation), { end_user: ada, dry_run: false });
  const status = async () => (await getErasure(database, officerOf(organisation), made.id)).status;
  const seen: string[] = [];
  for (let steps = 0; (await status()) !== "done"; steps++) {
    expect(steps).toBeLessThan(30);
    // Each run does one step of seven requests, and is then stopped.
    const stopped = new AbortController();
    const once = {
      throwIfAborted: () => {
        stopped.signal.throwIfAborted();
        stopped.abort();
      },
    } as AbortSignal;
    await eraseSubject(deps, { id: made.id, again: false }, once, 7).catch(() => undefined);
    seen.push(await status());
  }
  expect(seen).toEqual(["running", "running", "running", "running", "done"]);
  // A job can run twice.
  await eraseSubject(deps, { id: made.id, again: false }, signal);
  expect(await getErasure(database, officerOf(organisation), made.id)).toMatchObject({
    status: "done",
    counts: { requests: 10, personal_records: 10 },
  });
});

describe("an export", () => {
  const all = async (organisation: TestOrganisation, limit: number, asked: object) => {
    const found: SubjectExport["data"] = [];
    let after: string | undefined;
    do {
      const page = await exportSubject(deps, officerOf(organisation), { limit, after, ...asked });
      found.push(...page.data);
      after = page.next ?? undefined;
    } while (after);
    return found;
  };

  test("has every request of the subject once, with what is stored about it, for any page size", async () => {
    const organisation = await createOrganisation(database);
    const rows = fc.sample(arbitraryGeneration(organisation), 60).map((row, at) => ({
      ...row,
      started_at: isoTime(clock.nowMs()),
      ...personal(at % 2 === 0 ? ada : "grace@example.eu"),
    }));
    await book(rows);
    const own = rows.filter((row) => row.user_reference === ada).map(({ id }) => id);
    for (const limit of [1, 7, 100]) {
      const found = await all(organisation, limit, { end_user: ada });
      expect(found.map(({ id }) => id).toSorted()).toEqual(own.toSorted());
      expect(
        found.every(({ end_user, session_id }) => end_user === ada && session_id === `session of ${ada}`),
      ).toBe(true);
    }
    expect(await all(organisation, 100, { user_id: organisation.userId })).toHaveLength(60);
    expect(await all(organisation, 100, { api_key_id: organisation.keyId })).toHaveLength(60);
    for (const unknown of [{ api_key_id: uuidv7() }, { user_id: uuidv7() }])
      await expect(all(organisation, 100, unknown)).rejects.toMatchObject({ code: "NOT_FOUND" });
    await prisma.api_key.delete({ where: { id: organisation.keyId } });
    expect(await all(organisation, 100, { api_key_id: organisation.keyId })).toHaveLength(60);
  });

  test("is recorded once, without the person", async () => {
    const organisation = await createOrganisation(database);
    await book([1, 2, 3].map(() => generationRow(organisation, "0.1", personal(ada))));
    await all(organisation, 1, { end_user: ada });
    const entries = await prisma.audit_entry.findMany({
      where: { org_id: organisation.orgId, action: "data_subject.export" },
    });
    expect(entries).toHaveLength(1);
    expect(JSON.stringify(entries.map(({ after }) => after))).not.toContain(ada);
  });
});
