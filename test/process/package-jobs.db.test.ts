import { hash } from "node:crypto";
import { describe, expect, test, vi } from "vitest";
import type { EvidencePackage } from "#contract/evidence-package.ts";
import { buildPackage } from "#server/evidence/index.ts";
import { readPackagedRequests } from "#server/evidence/package/packaged-requests.ts";
import { purgeExpiredPackages } from "#server/evidence/package/packages.ts";
import { clock, isoTime } from "#server/platform/clock.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { limits } from "#server/platform/limits.ts";
import { createOrganisation, generationRow, insertGenerations } from "#test/factories.ts";
import { unzipped } from "#test/unzipped.ts";
import { startTestServer } from "./server.ts";

const { send, post, services, key } = await startTestServer();
const { database, transparency: log } = services;
const { prisma } = database;
const deps = { database, log, adequacyOff: new Set<string>() };
const { signal } = new AbortController();
const other = await createOrganisation(database);
const organisation = await createOrganisation(database);
await services.refreshSnapshot();

const fromMs = clock.nowMs() - 3 * 3_600_000;
const at = (ms: number) => isoTime(fromMs + ms);
const period = { from: at(0), to: at(3_600_000) };
// Seven of them in one millisecond, and one on the last of the period.
const times = [...Array.from({ length: 25 }, (_, place) => place * 90_000), ...Array(7).fill(500), 3_599_999];
await insertGenerations(
  database,
  times.map((ms: number) =>
    generationRow(organisation, "0.1", {
      ...{ started_at: at(ms), user_reference: "ada-canary@example.eu" },
      decision_hash: `\\x${"ab".repeat(32)}`,
    }),
  ),
);

const dataOf = async <T>(response: Response): Promise<T> => ((await response.json()) as { data: T }).data;
const create = async (more: object = {}) =>
  dataOf<EvidencePackage>(
    await post("/evidence-packages", { ...period, ...more }, { key: organisation.key }),
  );
const get = async (id: string) =>
  dataOf<EvidencePackage>(await send("GET", `/evidence-packages/${id}`, { key: organisation.key }));
const file = (id: string, by = organisation.key) => send("GET", `/evidence-packages/${id}/file`, { key: by });

const ready = (id: string) =>
  vi.waitFor(async () => {
    const now = await get(id);
    expect(now.status).toBe("ready");
    return now;
  }, 10_000);

/** A package that no job builds. */
async function waiting(more: object = {}): Promise<string> {
  const { id } = await prisma.evidence_package.create({
    data: {
      ...{ id: uuidv7(), org_id: organisation.orgId, filter: period, status: "waiting" },
      ...{ created_by: organisation.userId, created_at: at(0), ...more },
    },
  });
  return id;
}

const partsOf = (package_id: string) => prisma.evidence_package_part.count({ where: { package_id } });

test("a package is built in the background, and its file is what its record says", async () => {
  const { id, status, file_name } = await create();
  expect([status, file_name]).toEqual([
    "waiting",
    `evidence-${period.from.slice(0, 10)}-${period.to.slice(0, 10)}.zip`,
  ]);
  const { requests, size_bytes, sha256, read_until, expires_at } = await ready(id);
  expect([requests, read_until]).toEqual([times.length, period.to]);
  expect(Date.parse(expires_at ?? "")).toBeGreaterThan(clock.nowMs());
  const response = await file(id);
  const bytes = Buffer.from(await response.arrayBuffer());
  expect([response.status, response.headers.get("content-type"), bytes.length]).toEqual([
    ...[200, "application/zip", size_bytes],
  ]);
  expect(hash("sha256", bytes, "hex")).toBe(sha256);
  const digest = Buffer.from(sha256 ?? "", "hex").toString("base64");
  expect(response.headers.get("repr-digest")).toBe(`sha-256=:${digest}:`);
  expect(response.headers.get("content-disposition")).toBe(`attachment; filename="${file_name}"`);
  const files = unzipped(bytes.toString("base64"));
  expect((files["requests.csv"] ?? "").trim().split("\n")).toHaveLength(times.length + 1);
  expect(files["report.pdf"]?.startsWith("%PDF-")).toBe(true);
  const again = await create();
  expect((await ready(again.id)).sha256).toBe(sha256);
  const head = await send("HEAD", `/evidence-packages/${id}/file`, { key: organisation.key });
  expect([head.status, head.headers.get("content-length")]).toEqual([200, String(size_bytes)]);
});

describe("of a package", () => {
  test("a period that is not over is refused", async () => {
    const response = await post(
      "/evidence-packages",
      { from: period.from, to: isoTime(clock.nowMs()) },
      { key: organisation.key },
    );
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('"param":"to"')]);
  });

  test("another organisation sees and gets nothing, and nobody a file that is not ready", async () => {
    const id = await waiting();
    expect((await file(id)).status).toBe(409);
    expect((await file(id, other.key)).status).toBe(404);
    expect((await file(id, "sk-pl-v1-wrong")).status).toBe(401);
    expect((await file("no-id")).status).toBe(400);
    expect((await file(uuidv7())).status).toBe(404);
    await prisma.evidence_package.delete({ where: { id } });
  });

  test("a download that cannot be completed is cut off, so that nobody takes it for all of it", async () => {
    const id = await waiting({ status: "ready", attempt: 1, size_bytes: 20, sha256: "00".repeat(32) });
    await prisma.evidence_package_part.create({
      data: { package_id: id, attempt: 1, number: 0, content: Buffer.from("0123456789") },
    });
    const response = await file(id);
    expect(response.status).toBe(200);
    await expect(response.arrayBuffer()).rejects.toThrow();
    await prisma.evidence_package.delete({ where: { id } });
  });

  test("a filter by what belongs to another organisation matches nothing", async () => {
    for (const filter of [{ api_key_id: other.keyId }, { user_id: other.userId }]) {
      const { id } = await create(filter);
      expect((await ready(id)).requests).toBe(0);
    }
  });

  test("no more than a few wait, and they are not stored forever", async () => {
    const ids = await Promise.all(
      Array.from({ length: limits.evidencePackages.waitingMax }, () => waiting()),
    );
    expect((await post("/evidence-packages", period, { key: organisation.key })).status).toBe(409);
    const [first = "", second = ""] = ids;
    const rest = { id: { in: ids.slice(2) } };
    await prisma.evidence_package.deleteMany({ where: rest });
    const expiry = (id: string, expires_at: string) =>
      prisma.evidence_package.update({ where: { id }, data: { expires_at } });
    await expiry(first, at(0));
    await expiry(second, "2100-01-01T00:00:00.000Z");
    await purgeExpiredPackages(database);
    expect(await prisma.evidence_package.count({ where: { id: first } })).toBe(0);
    expect(await prisma.evidence_package.count({ where: { id: second } })).toBe(1);
    await prisma.evidence_package.delete({ where: { id: second } });
  });

  test("no more are stored than a number, and a size", async () => {
    const { storedMax, storedBytesMax } = limits.evidencePackages;
    const refused = async (ids: readonly string[]) => {
      const response = await post("/evidence-packages", period, { key: organisation.key });
      expect([response.status, await response.text()]).toEqual([409, expect.stringContaining("Delete one")]);
      await prisma.evidence_package.deleteMany({ where: { id: { in: [...ids] } } });
    };
    await refused(await Promise.all(Array.from({ length: storedMax }, () => waiting({ status: "failed" }))));
    const half = { status: "ready", size_bytes: 1024 ** 3 };
    const large = Math.ceil(storedBytesMax / half.size_bytes);
    await refused(await Promise.all(Array.from({ length: large }, () => waiting(half))));
  });
});

describe("the job", () => {
  test("begins again after it was interrupted, and mixes nothing of both attempts", async () => {
    const id = await waiting();
    await prisma.evidence_package.update({ where: { id }, data: { status: "running", attempt: 1 } });
    for (const number of [0, 1, 2])
      await prisma.evidence_package_part.create({
        data: { package_id: id, attempt: 1, number, content: Buffer.from("of the first attempt") },
      });
    await buildPackage(deps, { id }, signal);
    const { size_bytes, sha256 } = await ready(id);
    const bytes = Buffer.from(await (await file(id)).arrayBuffer());
    expect([bytes.length, hash("sha256", bytes, "hex")]).toEqual([size_bytes, sha256]);
    expect(await prisma.evidence_package_part.count({ where: { package_id: id, attempt: 1 } })).toBe(0);
  });

  test("that is stopped fails, and leaves the package for the next attempt", async () => {
    const id = await waiting();
    await expect(buildPackage(deps, { id }, AbortSignal.abort(new Error("stopped")))).rejects.toThrow(
      "stopped",
    );
    expect((await get(id)).status).toBe("running");
    await buildPackage(deps, { id }, signal);
    await ready(id);
  });

  test("gives up a package that is deleted meanwhile, and leaves no part of it", async () => {
    const id = await waiting();
    const isFirst = { value: true };
    const deleting: typeof database = {
      ...database,
      statement: async (...args) => {
        if (isFirst.value) {
          isFirst.value = false;
          expect((await send("DELETE", `/evidence-packages/${id}`, { key: organisation.key })).status).toBe(
            200,
          );
        }
        return database.statement(...args);
      },
    };
    await buildPackage({ ...deps, database: deleting }, { id }, signal);
    expect(isFirst.value).toBe(false);
    expect(await partsOf(id)).toBe(0);
  });

  test.each([
    ["requestsMax", 5, "More than 5 requests match"],
    ["decisionsMax", 0, "more than 0 different decisions"],
    ["filesMax", 4, "more than 4 files"],
    ["bytesMax", 100, "larger than 100 bytes"],
  ] as const)(
    "says what to do if a package has more than %s, and stores nothing of it",
    async (name, max, failure) => {
      const id = await waiting();
      await buildPackage(deps, { id }, signal, { ...limits.evidencePackages.bounds, [name]: max });
      const built = await get(id);
      expect([built.status, built.failure]).toEqual(["failed", expect.stringContaining(failure)]);
      expect(built.failure).toContain("Choose a shorter period");
      expect(await partsOf(id)).toBe(0);
    },
  );

  test("that failed too often says so, without the reason of the server", async () => {
    const id = await waiting({ attempt: limits.evidencePackages.attemptsMax });
    await buildPackage(deps, { id }, signal);
    const { status, failure, expires_at } = await get(id);
    expect([status, failure]).toEqual(["failed", expect.stringContaining("could not be built")]);
    expect(expires_at).not.toBeNull();
    // It is over: another run changes nothing.
    await buildPackage(deps, { id }, signal);
    expect((await get(id)).status).toBe("failed");
  });
});

test.each([1, 2, 7, 8, 33, 1_000])(
  "parts of %i requests have all of them once, in order",
  async (scanned) => {
    const found: { id: string; started_at: string }[] = [];
    const ends: string[] = [];
    for await (const { pieces, until } of readPackagedRequests(deps, organisation.orgId, period, scanned)) {
      for await (const piece of pieces) found.push(...piece);
      ends.push(until);
    }
    expect(found.map(({ started_at }) => Date.parse(started_at) - fromMs)).toEqual(
      times.toSorted((a: number, b: number) => a - b),
    );
    expect(new Set(found.map(({ id }) => id)).size).toBe(times.length);
    expect(ends.at(-1)).toBe(period.to);
    expect(ends).toEqual(ends.toSorted());
  },
);

test("an erasure deletes stored packages, which may name the person", async () => {
  const { id } = await create();
  await ready(id);
  const before = await prisma.evidence_package.count({ where: { org_id: organisation.orgId } });
  const asked = { end_user: "ada-canary@example.eu" };
  const done = async (more: object) => {
    const made = await dataOf<{ id: string }>(
      await post("/erasures", { ...asked, ...more }, { key: organisation.key }),
    );
    return vi.waitFor(async () => {
      const now = await dataOf<{ status: string; counts: { evidence_packages: number } }>(
        await send("GET", `/erasures/${made.id}`, { key: organisation.key }),
      );
      expect(now.status).toBe("done");
      return now.counts.evidence_packages;
    }, 10_000);
  };
  expect(await done({ dry_run: true })).toBe(before);
  expect((await file(id)).status).toBe(200);
  expect(await done({ dry_run: false })).toBe(before);
  expect((await file(id)).status).toBe(404);
  expect(await partsOf(id)).toBe(0);
});

test("the console's download needs a session", async () => {
  const origin = new URL((await send("GET", "/openapi.json")).url).origin;
  const response = await fetch(`${origin}/api/evidence-packages/${uuidv7()}`);
  expect([response.status, await response.text()]).toEqual([401, expect.stringContaining("UNAUTHORIZED")]);
  // A key is not for the console.
  const authorization = `Bearer ${key}`;
  expect((await fetch(response.url, { headers: { authorization } })).status).toBe(401);
});
