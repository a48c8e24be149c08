import { expect, test } from "vitest";
import { createOrganisation, openTestDatabase } from "#test/factories.ts";
import { loadKeyDirectory } from "./directory.ts";
import { mintKey, parseKey } from "./format.ts";
import { storeKey } from "./issue.ts";

const { database } = await openTestDatabase();

const digestOf = (key: string) => parseKey(key, "ptl")?.digest ?? "";
const version = async () => (await database.prisma.config_version.findFirst())?.version ?? 0n;

test("a stored key is found by its digest with who it acts for and what it may do", async () => {
  const { key, keyId, orgId, userId } = await createOrganisation(database, {
    permissions: ["inference:use"],
  });
  const known = (await loadKeyDirectory(database.prisma, 600)).get(digestOf(key));
  expect(known).toEqual({
    expiresAtMs: null,
    suspension: null,
    caller: {
      kind: "key",
      keyId,
      keyName: "Test key",
      isApp: false,
      hasBounds: false,
      orgId,
      userId,
      workspaceId: null,
      permissions: new Set(["inference:use"]),
      allowedModels: null,
      budgets: [],
      requestsPerMinute: 600,
    },
  });
});

test("the plain key is stored nowhere, and its making is in the audit", async () => {
  const { key, keyId } = await createOrganisation(database);
  const row = await database.prisma.api_key.findUniqueOrThrow({ where: { id: keyId } });
  const entry = await database.prisma.audit_entry.findFirstOrThrow({ where: { subject_id: keyId } });
  const stored = JSON.stringify({ row, entry }, (_, value) =>
    typeof value === "bigint" ? value.toString() : value,
  );
  expect(stored).not.toContain(key);
  expect(stored).not.toContain(key.slice(16, 59));
  expect(entry.action).toBe("api_key.create");
});

test("disabled keys are not loaded; an expiry is, to the millisecond", async () => {
  const [disabled, expiring] = [await createOrganisation(database), await createOrganisation(database)];
  const expires_at = new Date("2027-01-02T03:04:05.678Z");
  await database.prisma.api_key.update({ where: { id: disabled.keyId }, data: { disabled: true } });
  await database.prisma.api_key.update({ where: { id: expiring.keyId }, data: { expires_at } });
  const directory = await loadKeyDirectory(database.prisma, 600);
  expect(directory.has(digestOf(disabled.key))).toBe(false);
  expect(directory.get(digestOf(expiring.key))?.expiresAtMs).toBe(expires_at.getTime());
});

test("keys of a suspended organisation are loaded with why, those of others without", async () => {
  const [suspended, other] = [await createOrganisation(database), await createOrganisation(database)];
  const suspended_at = new Date("2026-11-02T03:04:05.678Z");
  await database.prisma.organisation.update({
    where: { id: suspended.orgId },
    data: { suspended_at, suspended_reason: "Unpaid" },
  });
  const directory = await loadKeyDirectory(database.prisma, 600);
  const suspension = { since: suspended_at.toISOString(), reason: "Unpaid" };
  expect(directory.get(digestOf(suspended.key))?.suspension).toEqual(suspension);
  expect(directory.get(digestOf(other.key))?.suspension).toBeNull();
});

test("a permission this version does not know is not granted", async () => {
  const { key, keyId } = await createOrganisation(database);
  await database.prisma.api_key.update({
    where: { id: keyId },
    data: { permissions: ["inference:use", "galaxy:rule"] },
  });
  const directory = await loadKeyDirectory(database.prisma, 600);
  expect(directory.get(digestOf(key))?.caller.permissions).toEqual(new Set(["inference:use"]));
});

test("storing a key raises the version every process watches; a malformed one is not stored", async () => {
  const { orgId, userId, caller } = await createOrganisation(database);
  const grant = { name: "Second", orgId, userId, permissions: [] };
  const before = await version();
  await database.transaction((tx) => storeKey(tx, caller, mintKey("ptl"), "ptl", grant));
  expect(await version()).toBeGreaterThan(before);
  await expect(database.transaction((tx) => storeKey(tx, caller, "ptl_short", "ptl", grant))).rejects.toThrow(
    RangeError,
  );
});
