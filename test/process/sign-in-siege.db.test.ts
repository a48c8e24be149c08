import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { hashPassword } from "#server/accounts/password.ts";
import { clock } from "#server/platform/clock.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { createLog } from "#server/platform/log.ts";
import { browserOf } from "./browser.ts";
import { startTestServer } from "./server.ts";

/** Everybody comes from one address, as behind a proxy that no setting names. */
const lines: string[] = [];
const server = await startTestServer({ log: createLog("warn", (line) => void lines.push(line)) });
const { prisma } = server.services.database;
const password = "correct horse battery";
const passwordHash = await hashPassword(password);

async function somebody(): Promise<string> {
  const [userId, email] = [uuidv7(), `${uuidv7()}@example.eu`];
  await prisma.user.create({ data: { id: userId, name: "Somebody", email, email_verified: true } });
  await prisma.account.create({
    data: { account_id: userId, provider_id: "credential", user_id: userId, password: passwordHash },
  });
  return email;
}

const guess = (email: string, headers: Record<string, string> = {}) =>
  browserOf(server).request("POST", "/api/auth/sign-in/email", { email, password: "a guess" }, headers);
const statusOf = async (answer: Promise<Response>) => (await answer).status;

/** If the attack uses a slow machine completely, a client is asked to retry, and does. */
async function comingAgain(ask: () => Promise<Response>): Promise<number> {
  for (let at = 0; ; at++) {
    const { status, headers } = await ask();
    if (status !== 503 || at === 5) return status;
    await wait(Number(headers.get("retry-after")) * 1000);
  }
}

describe("an attacker who guesses without end from a shared address", () => {
  test("does not lock out browsers with an earlier sign-in in the meantime", {
    timeout: 60_000,
  }, async () => {
    const ada = await somebody();
    const known = await browserOf(server).signIn(ada, password);
    const unavailable = browserOf(server);
    for (const [name, value] of known.cookies)
      if (name !== "portolan_session") unavailable.cookies.set(name, value);
    let goesOn = true;
    const siege = Array.from({ length: 40 }, async (_, at) => {
      while (goesOn) await guess(at % 2 === 0 ? ada : `${uuidv7()}@example.eu`);
    });
    try {
      await vi.waitFor(async () => expect(await statusOf(guess(ada))).toBe(429), { timeout: 20_000 });
      for (let at = 0; at < 3; at++) {
        expect(await comingAgain(() => unavailable.auth("/sign-in/email", { email: ada, password }))).toBe(
          200,
        );
        unavailable.cookies.delete("portolan_session");
      }
    } finally {
      goesOn = false;
      await Promise.all(siege);
    }
  });

  test("delays nobody else, and the attacked person, in a new browser, by at most a minute", async () => {
    const [ada, grace] = [await somebody(), await somebody()];
    // The minute in which attempts are counted must not end before the last one.
    const nowMs = clock.nowMs() + 65_000 - (clock.nowMs() % 60_000);
    const time = vi.spyOn(clock, "nowMs").mockReturnValue(nowMs);
    onTestFinished(() => time.mockRestore());
    for (let at = 0; at < 60; at++) await guess(at % 2 === 0 ? ada : `${uuidv7()}@example.eu`);
    expect(await statusOf(browserOf(server).auth("/sign-in/email", { email: grace, password }))).toBe(200);
    const refused = await browserOf(server).auth("/sign-in/email", { email: ada, password });
    const waitSeconds = Number(refused.headers.get("retry-after"));
    expect([refused.status, waitSeconds > 0 && waitSeconds <= 60]).toEqual([429, true]);
    time.mockReturnValue(nowMs + waitSeconds * 1000);
    expect(await statusOf(browserOf(server).auth("/sign-in/email", { email: ada, password }))).toBe(200);
  });

  test("does not prevent a password change within a session", async () => {
    const ada = await somebody();
    const browser = await browserOf(server).signIn(ada, password);
    for (let at = 0; at < 20; at++) await guess(ada);
    const change = { currentPassword: password, newPassword: "another long password" };
    expect(await statusOf(browser.auth("/change-password", change))).toBe(200);
  });
});

test("a proxy that no setting names is reported once in the log", async () => {
  for (let at = 0; at < 3; at++) await guess("nobody@example.eu", { "x-forwarded-for": "203.0.113.7" });
  expect(lines.filter((line) => line.includes("TRUSTED_PROXIES"))).toHaveLength(1);
});
