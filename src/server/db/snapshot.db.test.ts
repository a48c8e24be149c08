import { expect, onTestFinished, test, vi } from "vitest";
import type { PrismaClient } from "#generated/prisma/client.ts";
import { createLog, silentLog } from "#server/platform/log.ts";
import { createOrganisation, openTestDatabase } from "#test/factories.ts";
import type { Database } from "./client.ts";
import { raiseConfigVersion } from "./config-version.ts";
import { openSnapshot } from "./snapshot.ts";

const { database } = await openTestDatabase();

const countOrganisations = (prisma: PrismaClient) => prisma.organisation.count();

async function open<T>(load: (prisma: PrismaClient) => Promise<T>, on: Database = database, log = silentLog) {
  const snapshot = await openSnapshot(on, load, log);
  onTestFinished(() => snapshot.close());
  return snapshot;
}

/** Prisma whose reading of the version fails while `off`, and is counted. */
function switchable() {
  const state = { off: false, looks: 0 };
  const prisma = new Proxy(database.prisma, {
    get: (target, name, receiver) => {
      if (state.off) throw new Error("connection refused");
      if (name === "config_version") state.looks++;
      return Reflect.get(target, name, receiver);
    },
  });
  return { state, on: { ...database, prisma } };
}

test("a change is seen after a refresh, and nothing is loaded again without a change", async () => {
  const load = vi.fn(countOrganisations);
  const snapshot = await open(load);
  const before = snapshot.value();
  await snapshot.refresh();
  expect(load).toHaveBeenCalledTimes(1);
  await createOrganisation(database);
  await snapshot.refresh();
  expect(snapshot.value()).toBe(before + 1);
  expect(load).toHaveBeenCalledTimes(2);
});

test("a change is seen within some seconds without a refresh", async () => {
  const snapshot = await open(countOrganisations);
  const before = snapshot.value();
  await createOrganisation(database);
  await vi.waitFor(() => expect(snapshot.value()).toBe(before + 1), { timeout: 5000 });
});

test("a refresh sees what was committed before it, even while an older check is running; waiting calls share one", async () => {
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  let held = false;
  const { state, on } = switchable();
  const snapshot = await open(async (prisma) => {
    const count = await countOrganisations(prisma);
    if (held) await gate;
    return count;
  }, on);
  const before = snapshot.value();
  held = true;
  await createOrganisation(database);
  const looksBefore = state.looks;
  const older = snapshot.refresh();
  await createOrganisation(database);
  const newer = [snapshot.refresh(), snapshot.refresh(), snapshot.refresh()];
  held = false;
  release();
  await Promise.all([older, ...newer]);
  expect(snapshot.value()).toBe(before + 2);
  expect(state.looks - looksBefore).toBeLessThanOrEqual(2);
});

test("while the database is unavailable the last value is used, its age grows, and it recovers by itself", async () => {
  const { state, on } = switchable();
  const said: string[] = [];
  const snapshot = await open(
    countOrganisations,
    on,
    createLog("info", (line) => said.push(line)),
  );
  const before = snapshot.value();
  state.off = true;
  await createOrganisation(database);
  await vi.waitFor(() => expect(said).toHaveLength(1), { timeout: 5000 });
  expect(snapshot.value()).toBe(before);
  expect(snapshot.ageMs()).toBeGreaterThan(500);
  await expect(snapshot.refresh()).rejects.toThrow("connection refused");
  state.off = false;
  await vi.waitFor(() => expect(snapshot.value()).toBe(before + 1), { timeout: 5000 });
  expect(snapshot.ageMs()).toBeLessThan(2000);
  expect(said).toHaveLength(2);
});

test("a failed load leaves the old value and is retried", async () => {
  let broken = false;
  const snapshot = await open(async (prisma) => {
    if (broken) throw new Error("half of it");
    return countOrganisations(prisma);
  });
  const before = snapshot.value();
  await createOrganisation(database);
  broken = true;
  await expect(snapshot.refresh()).rejects.toThrow("half of it");
  expect(snapshot.value()).toBe(before);
  broken = false;
  await snapshot.refresh();
  expect(snapshot.value()).toBe(before + 1);
});

test("every transaction that changes something raises the version by one, concurrent ones too", async () => {
  const version = async () => (await database.prisma.config_version.findFirstOrThrow()).version;
  await database.transaction(raiseConfigVersion);
  const before = await version();
  await Promise.all(Array.from({ length: 5 }, () => database.transaction(raiseConfigVersion)));
  expect(await version()).toBe(before + 5n);
});
