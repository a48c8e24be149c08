import { afterEach, expect, test, vi } from "vitest";
import { clock, isoTime } from "#server/platform/clock.ts";
import { sha256Hex } from "#server/platform/crypto.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { silentLog } from "#server/platform/log.ts";
import { abandonedSpool, temporaryDirectory } from "#test/directories.ts";
import { createOrganisation, generationRow, openTestDatabase } from "#test/factories.ts";
import { admitted, spoolLine } from "#test/spool-lines.ts";
import { bookGenerations } from "./book-generations.ts";
import { replaySpools } from "./replay.ts";
import { StoredBases } from "./stored-bases.ts";

const { database, another } = await openTestDatabase();
afterEach(() => vi.restoreAllMocks());

const basisOf = (name: string) => {
  const body = JSON.stringify({ endpoints: [], models: [], name });
  return { hash: sha256Hex(body), body };
};
type Organisation = Awaited<ReturnType<typeof createOrganisation>>;

const finished = (organisation: Organisation, name: string, startedMs = clock.nowMs()) => {
  const decision_basis = basisOf(name);
  const decision_hash = `\\x${decision_basis.hash}`;
  const started_at = isoTime(startedMs);
  return {
    instanceId: uuidv7(),
    row: generationRow(organisation, "0", { decision_basis, decision_hash, started_at }),
  };
};
const stored = ({ orgId }: Organisation) =>
  database.prisma.decision_basis.findMany({ where: { org_id: orgId }, orderBy: { hash: "asc" } });

test("a basis is stored once for each organisation, with the last day on which it was used", async () => {
  const [ours, theirs] = [await createOrganisation(database), await createOrganisation(database)];
  const [monday, tuesday] = [Date.UTC(2026, 10, 23, 12), Date.UTC(2026, 10, 24, 12)];
  await bookGenerations(database, [
    finished(ours, "same", tuesday),
    finished(ours, "same", monday),
    finished(theirs, "same", monday),
  ]);
  await bookGenerations(database, [finished(ours, "same", monday), finished(ours, "other", monday)]);
  const days = async (organisation: Organisation) =>
    (await stored(organisation)).map(({ seen_on }) => seen_on.toISOString().slice(0, 10)).sort();
  expect(await days(ours)).toEqual(["2026-11-23", "2026-11-24"]);
  expect(await days(theirs)).toEqual(["2026-11-23"]);
});

test("processes that book the same bases in different order do not wait for each other", async () => {
  const ours = await createOrganisation(database);
  const names = Array.from({ length: 20 }, (_, at) => `basis ${at}`);
  const second = another();
  await Promise.all(
    Array.from({ length: 10 }, (_, at) =>
      bookGenerations(
        at % 2 === 0 ? database : second,
        (at % 2 === 0 ? names : names.toReversed()).map((name) => finished(ours, name)),
      ),
    ),
  );
  expect((await stored(ours)).length).toBe(names.length);
});

test("a record contains its basis until the database has it, and again on the next day", async () => {
  const [ours, theirs] = [await createOrganisation(database), await createOrganisation(database)];
  const bases = new StoredBases();
  const { hash } = basisOf("known");
  expect(bases.lacks(ours.orgId, hash)).toBe(true);
  await bookGenerations(database, [finished(ours, "known")], { bases });
  expect([bases.lacks(ours.orgId, hash), bases.lacks(theirs.orgId, hash)]).toEqual([false, true]);
  const dayMs = 86_400_000;
  vi.spyOn(clock, "nowMs").mockReturnValue(clock.nowMs() + dayMs);
  expect(bases.lacks(ours.orgId, hash)).toBe(true);
  await bookGenerations(database, [finished(ours, "known", clock.nowMs() - dayMs)], { bases });
  expect(bases.lacks(ours.orgId, hash)).toBe(true);
  await bookGenerations(database, [finished(ours, "known")], { bases });
  expect(bases.lacks(ours.orgId, hash)).toBe(false);
});

test("a refused batch marks nothing as stored", async () => {
  const ours = await createOrganisation(database);
  const bases = new StoredBases();
  const broken = finished(ours, "refused");
  const refused = { ...broken, row: { ...broken.row, http_status: 1e12 } };
  await expect(bookGenerations(database, [refused], { bases })).rejects.toThrow();
  expect(bases.lacks(ours.orgId, basisOf("refused").hash)).toBe(true);
  expect(await stored(ours)).toEqual([]);
});

test("a generation whose process died is booked with its basis", async () => {
  const ours = await createOrganisation(database);
  const root = temporaryDirectory();
  const { row } = finished(ours, "died");
  abandonedSpool(root, uuidv7(), spoolLine("ADMIT", admitted(row)));
  await replaySpools(database, root, silentLog);
  expect((await stored(ours)).map(({ hash }) => Buffer.from(hash).toString("hex"))).toEqual([
    basisOf("died").hash,
  ]);
});
