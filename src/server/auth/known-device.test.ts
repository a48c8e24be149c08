import fc from "fast-check";
import { expect, test } from "vitest";
import { createRowSeal } from "#server/platform/row-seal.ts";
import { devicePurpose, knownDevices } from "./known-device.ts";

const seal = (...keys: readonly [Buffer, ...Buffer[]]) => knownDevices(createRowSeal(keys, devicePurpose));
const [first, second] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const devices = seal(first);

test("a browser is known for the accounts it was signed in to with, the last five, and for no other", () => {
  const accounts = Array.from({ length: 7 }, (_, at) => `person-${at}@example.eu`);
  let cookie: string | undefined;
  for (const account of accounts) cookie = devices.after(cookie, account);
  const ids = accounts.map((account) => devices.idFor(cookie, account));
  expect(new Set(ids.slice(2)).size).toBe(1);
  expect(ids.slice(0, 2)).toEqual([null, null]);
  expect(devices.idFor(cookie, " PERSON-6@Example.eu ")).toBe(ids[6]);
  expect(devices.idFor(cookie, "somebody@example.eu")).toBeNull();
  expect(Buffer.from(cookie ?? "", "base64url").toString()).not.toContain("@");
});

test("without the key no valid cookie can be made", () => {
  const own = devices.after(undefined, "ada@example.eu");
  const opened = JSON.parse(Buffer.from(own, "base64url").toString()) as Record<string, unknown>;
  const made = (change: object) =>
    Buffer.from(JSON.stringify({ ...opened, ...change })).toString("base64url");
  const foreign = seal(second).after(undefined, "ada@example.eu");
  for (const cookie of [made({ id: "x" }), made({ accounts: [] }), made({ signature: "" }), foreign])
    expect([devices.idOf(cookie), devices.idFor(cookie, "ada@example.eu")]).toEqual([null, null]);
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => devices.idOf(text) === null));
});

test("a browser stays known over a change of the encryption key", () => {
  const cookie = devices.after(undefined, "ada@example.eu");
  expect(seal(second, first).idOf(cookie)).not.toBeNull();
  expect(seal(second).idOf(cookie)).toBeNull();
});
