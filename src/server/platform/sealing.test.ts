import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { createSealer } from "./sealing.ts";

const master = randomBytes(32);
const sealer = createSealer([master]);
const place = { table: "destination", column: "secrets", rowId: "row-1", orgId: "org-1" };

test("what was sealed opens at its place, and the text does not show", () => {
  const sealed = sealer.seal("grün & geheim", place);
  expect(sealed).not.toContain("geheim");
  expect(sealer.open(sealed, place)).toBe("grün & geheim");
});

test.each(["table", "column", "rowId", "orgId"] as const)("it does not open with another %s", (part) => {
  const sealed = sealer.seal("secret", place);
  expect(() => sealer.open(sealed, { ...place, [part]: "another" })).toThrow();
});

test("it does not open when any of its bytes was changed", () => {
  const sealed = sealer.seal("secret", place);
  const [version, keyId, body = ""] = sealed.split(".");
  const bytes = Buffer.from(body, "base64url");
  for (let at = 0; at < bytes.length; at++) {
    const altered = Buffer.from(bytes);
    altered[at] = (altered[at] ?? 0) ^ 1;
    expect(() => sealer.open(`${version}.${keyId}.${altered.toString("base64url")}`, place)).toThrow();
  }
});

test("the same text never looks the same twice: 20,000 sealings, every first 12 bytes different", () => {
  const starts = new Set<string>();
  for (let at = 0; at < 20_000; at++) starts.add((sealer.seal("x", place).split(".")[2] ?? "").slice(0, 16));
  expect(starts.size).toBe(20_000);
});

test("after the installation's key was changed old text opens with the old key beside the new one, never without", () => {
  const sealed = sealer.seal("secret", place);
  const next = randomBytes(32);
  expect(createSealer([next, master]).open(sealed, place)).toBe("secret");
  expect(() => createSealer([next]).open(sealed, place)).toThrow(/does not have/);
});
