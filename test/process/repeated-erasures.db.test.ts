import { randomBytes } from "node:crypto";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ErasureCreate } from "#contract/data-subjects.ts";
import { bookGenerations } from "#server/billing/book-generations.ts";
import { receipted } from "#server/db/index.ts";
import { eraseSubject, repeatErasures } from "#server/evidence/index.ts";
import { readErasureList } from "#server/evidence/subjects/erasure-list.ts";
import { createErasure, type DataOfficer, getErasure } from "#server/evidence/subjects/erasures.ts";
import { openQueue } from "#server/jobs/queue.ts";
import { clock, isoTime } from "#server/platform/clock.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { silentLog } from "#server/platform/log.ts";
import { createRowSeal } from "#server/platform/row-seal.ts";
import { createSealer } from "#server/platform/sealing.ts";
import { subjectPurpose } from "#server/subjects/index.ts";
import { temporaryDirectory } from "#test/directories.ts";
import {
  createOrganisation,
  generationRow,
  openTestDatabase,
  type TestOrganisation,
} from "#test/factories.ts";

const { connection, database } = await openTestDatabase();
const { prisma } = database;
const queue = await openQueue(connection, database, silentLog);
const key = randomBytes(32);
const { signal } = new AbortController();
const ada = "ada@example.eu";

const depsIn = (dataDir: string, keys: [Buffer, ...Buffer[]] = [key]) => ({
  ...{ database, queue, log: silentLog, dataDir, config: { dataDir } },
  ...{ sealer: createSealer(keys), subjectSeal: createRowSeal(keys, subjectPurpose) },
});
type Deps = ReturnType<typeof depsIn>;

/** Requests of two end users, as a backup has them. */
async function book(organisation: TestOrganisation): Promise<void> {
  const rows = [ada, "grace@example.eu"].map((user) =>
    generationRow(organisation, "0.1", {
      ...{
        user_reference: user,
        session_id: `session of ${user}`,
        started_at: isoTime(clock.nowMs() - 1_000),
      },
      personal_salt: "\\x0102030405060708090a0b0c",
    }),
  );
  await bookGenerations(
    database,
    rows.map((row) => ({ instanceId: uuidv7(), row, ...receipted(row) })),
    { writers: [] },
  );
}

async function erase(deps: Deps, { caller }: TestOrganisation, asked: ErasureCreate) {
  const made = await createErasure(deps, caller as DataOfficer, asked);
  await eraseSubject(deps, { id: made.id, again: false }, signal);
  return getErasure(database, caller as DataOfficer, made.id);
}

/** The database as a backup from before all erasures has it. */
async function restore(organisation: TestOrganisation): Promise<void> {
  await prisma.erasure.deleteMany({ where: { org_id: organisation.orgId } });
  await prisma.generation.deleteMany({ where: { org_id: organisation.orgId } });
  await book(organisation);
}

const endUsersOf = async ({ orgId }: TestOrganisation) =>
  (await prisma.generation.findMany({ where: { org_id: orgId } }))
    .map((row) => row.user_reference)
    .toSorted();

describe("an erasure that a restored database does not know", () => {
  test.each([
    ["an end user", () => ({ end_user: ada }), ["grace@example.eu", null]],
    ["a person", ({ userId }: TestOrganisation) => ({ user_id: userId }), [null, null]],
    ["an API key", ({ keyId }: TestOrganisation) => ({ api_key_id: keyId }), [null, null]],
  ])("of %s is done again by the process that did it, and by no other", async (_what, named, left) => {
    const deps = depsIn(temporaryDirectory());
    const organisation = await createOrganisation(database);
    const other = await createOrganisation(database);
    await book(organisation);
    await book(other);
    const done = await erase(deps, organisation, { ...named(organisation), dry_run: false });
    expect(await repeatErasures(deps)).toBe(0);
    await restore(organisation);
    expect(await repeatErasures(depsIn(temporaryDirectory()))).toBe(0);
    expect(await repeatErasures(deps)).toBe(1);
    expect(await repeatErasures(deps)).toBe(0);
    await eraseSubject(deps, { id: done.id, again: false }, signal);
    expect(await endUsersOf(organisation)).toEqual(left);
    expect(await endUsersOf(other)).toEqual([ada, "grace@example.eu"]);
    const again = await getErasure(database, organisation.caller as DataOfficer, done.id);
    const { reference: _, completed_at: __, ...same } = done;
    expect(again).toMatchObject({ ...same, repeated: true });
    const row = await prisma.erasure.findUniqueOrThrow({ where: { id: done.id } });
    expect(row.subject).toBeNull();
    const entries = await prisma.audit_entry.findMany({
      where: { org_id: organisation.orgId, subject_id: done.id },
      orderBy: { position: "asc" },
    });
    expect(entries.map(({ action }) => action)).toEqual([
      ...["erasure.create", "erasure.complete", "erasure.repeat", "erasure.complete"],
    ]);
  });

  test("is found under a previous encryption key, and continues after a stop in the middle", async () => {
    const dataDir = temporaryDirectory();
    const organisation = await createOrganisation(database);
    await book(organisation);
    const done = await erase(depsIn(dataDir), organisation, { end_user: ada, dry_run: false });
    await restore(organisation);
    const later = depsIn(dataDir, [randomBytes(32), key]);
    await repeatErasures(later);
    const stopped = AbortSignal.abort();
    await expect(eraseSubject(later, { id: done.id, again: false }, stopped)).rejects.toThrow();
    expect(await endUsersOf(organisation)).toContain(ada);
    await eraseSubject(later, { id: done.id, again: false }, signal);
    expect(await endUsersOf(organisation)).toEqual(["grace@example.eu", null]);
  });

  test("is over at once if the database has nothing of the subject, and left out if the organisation is gone", async () => {
    const deps = depsIn(temporaryDirectory());
    const [empty, gone] = [await createOrganisation(database), await createOrganisation(database)];
    const done = await erase(deps, empty, { end_user: ada, dry_run: false });
    await erase(deps, gone, { end_user: ada, dry_run: false });
    await prisma.erasure.deleteMany({ where: { org_id: empty.orgId } });
    await prisma.organisation.delete({ where: { id: gone.orgId } });
    expect(await repeatErasures(deps)).toBe(1);
    await eraseSubject(deps, { id: done.id, again: false }, signal);
    const again = await getErasure(database, empty.caller as DataOfficer, done.id);
    expect(again).toMatchObject({ status: "done", counts: { requests: 0 } });
  });
});

test("the list outside the database has each erasure once, no dry run and no name", async () => {
  const deps = depsIn(temporaryDirectory());
  const organisation = await createOrganisation(database);
  await erase(deps, organisation, { end_user: ada, dry_run: true });
  expect(readErasureList(deps.dataDir).erasures).toEqual([]);
  const { id } = await erase(deps, organisation, { end_user: ada, dry_run: false, reference: "Ada of Kiel" });
  await eraseSubject(deps, { id, again: true }, signal);
  const { erasures: listed } = readErasureList(deps.dataDir);
  expect(listed.map((one) => one.id)).toEqual([id]);
  expect(JSON.stringify(listed)).not.toMatch(/ada/i);
});

test("a line that a crash cut off is logged by its number, and the others are repeated", async () => {
  const deps = depsIn(temporaryDirectory());
  appendFileSync(join(deps.dataDir, "erasures.jsonl"), '{"id":"018f');
  const organisation = await createOrganisation(database);
  await erase(deps, organisation, { end_user: ada, dry_run: false });
  await prisma.erasure.deleteMany({ where: { org_id: organisation.orgId } });
  const said: string[] = [];
  const log = { ...silentLog, error: (_: object, text: string) => void said.push(text) };
  expect(await repeatErasures({ ...deps, log })).toBe(1);
  expect(said).toEqual([expect.stringContaining("Lines 1 of DATA_DIR/erasures.jsonl are not erasures")]);
});
