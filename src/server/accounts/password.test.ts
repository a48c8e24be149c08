import { hashPassword as hashScrypt } from "better-auth/crypto";
import { expect, test } from "vitest";
import { hashPassword, verifyPassword } from "./password.ts";

const password = "correct horse battery";

test("a password is stored with argon2id and its own salt, and only the same password matches", async () => {
  const [one, two] = [await hashPassword(password), await hashPassword(password)];
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(one).not.toBe(two);
  expect(await verifyPassword({ hash: one, password })).toBe(true);
  expect(await verifyPassword({ hash: one, password: `${password} ` })).toBe(false);
});

test("a hash of an earlier version is accepted", async () => {
  const hash = await hashScrypt(password);
  expect(await verifyPassword({ hash, password })).toBe(true);
  expect(await verifyPassword({ hash, password: "wrong" })).toBe(false);
});

test("a stored hash is not accepted as a password", async () => {
  const hash = await hashPassword(password);
  expect(await verifyPassword({ hash, password: hash })).toBe(false);
});

test("more passwords than the queue takes are refused, and the queue empties", async () => {
  const results = await Promise.allSettled(Array.from({ length: 100 }, () => hashPassword(password)));
  const refused = results.filter(({ status }) => status === "rejected");
  expect(refused).toHaveLength(100 - 2 - 64);
  expect(refused[0]).toMatchObject({ reason: { code: "SERVICE_UNAVAILABLE" } });
  expect(await hashPassword(password)).toMatch(/^\$argon2id/);
});
