import { expect, test, vi } from "vitest";
import type { Profile } from "#contract/profile.ts";
import { hashPassword } from "#server/accounts/password.ts";
import { clock } from "#server/platform/clock.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { browserOf, ignoreAddressLimit } from "./browser.ts";
import { newOrganisation } from "./people.ts";
import { startTestServer } from "./server.ts";

const said: string[] = [];
// A proxy that names who asks: addresses tell people apart.
const settings = { TRUSTED_PROXIES: "127.0.0.1,::1" };
const server = await startTestServer({ say: (text) => said.push(text), settings });
const { database } = server.services;
const password = "correct horse battery";
const home = await newOrganisation(server);
const passwordHash = await hashPassword(password);

/** A person who signs in by password, in the organisation of this file. */
async function somebody(role = "member"): Promise<{ email: string; userId: string }> {
  const userId = uuidv7();
  const email = `${userId}@example.eu`;
  await database.prisma.user.create({ data: { id: userId, name: "Somebody", email, email_verified: true } });
  await database.prisma.account.create({
    data: { account_id: userId, provider_id: "credential", user_id: userId, password: passwordHash },
  });
  await database.prisma.member.create({ data: { org_id: home.orgId, user_id: userId, role } });
  return { email, userId };
}

ignoreAddressLimit();

/** Links printed for an address, once all jobs are done. */
async function linksFor(email: string): Promise<string[]> {
  await vi.waitFor(
    async () => {
      const [row] = await database.prisma.$queryRaw<{ n: bigint }[]>`
        select count(*) as n from jobs.job where name = 'password-reset' and state < 'completed'`;
      expect(row?.n).toBe(0n);
    },
    { timeout: 10_000 },
  );
  return said.filter((text) => text.includes(email));
}

const tokenIn = (text: string): string => /#([\w-]+)/.exec(text)?.[1] ?? "";
const actionsOf = async (userId: string) =>
  (await database.prisma.audit_entry.findMany({ where: { subject_id: userId }, orderBy: { id: "asc" } })).map(
    ({ action }) => action,
  );

test("the contents of the session table do not give access", async () => {
  const { email, userId } = await somebody();
  const browser = await browserOf(server).signIn(email, password);
  const cookie = browser.cookies.get("portolan_session") ?? "";
  const [token = ""] = decodeURIComponent(cookie).split(".");
  const row = await database.prisma.session.findFirstOrThrow({ where: { user_id: userId } });
  expect(row.token).not.toBe(token);
  expect(JSON.stringify(row)).not.toContain(token);
  expect(await browser.sessionStatus()).toBe(200);
  browser.cookies.set("portolan_session", cookie.replace(token, row.token));
  expect(await browser.sessionStatus()).toBe(401);
});

test("a session from before the sign-in is not reused, and ends", async () => {
  const [ada, grace] = [await somebody(), await somebody()];
  const attacker = await browserOf(server).signIn(ada.email, password);
  const planted = attacker.cookies.get("portolan_session") ?? "";
  const victim = browserOf(server);
  victim.cookies.set("portolan_session", planted);
  await victim.signIn(grace.email, password);
  expect(victim.cookies.get("portolan_session")).not.toBe(planted);
  expect(await attacker.sessionStatus()).toBe(401);
  expect(await victim.sessionStatus()).toBe(200);
});

test("signing out ends the session on the server, not only in the browser", async () => {
  const { email } = await somebody();
  const browser = await browserOf(server).signIn(email, password);
  const stored = new Map(browser.cookies);
  expect((await browser.auth("/sign-out", {})).status).toBe(200);
  for (const [name, value] of stored) browser.cookies.set(name, value);
  expect(await browser.sessionStatus()).toBe(401);
});

test("a new password ends every other session and renews the own one", async () => {
  const { email, userId } = await somebody();
  const [here, there] = [
    await browserOf(server).signIn(email, password),
    await browserOf(server).signIn(email, password),
  ];
  const before = here.cookies.get("portolan_session");
  const change = { currentPassword: password, newPassword: "another long password" };
  // What the page asks for does not decide it.
  const response = await here.auth("/change-password", { ...change, revokeOtherSessions: false });
  expect(response.status).toBe(200);
  expect(await there.sessionStatus()).toBe(401);
  expect(await here.sessionStatus()).toBe(200);
  expect(here.cookies.get("portolan_session")).not.toBe(before);
  const old = browserOf(server);
  old.cookies.set("portolan_session", before ?? "");
  expect(await old.sessionStatus()).toBe(401);
  expect((await browserOf(server).auth("/sign-in/email", { email, password })).status).toBe(401);
  expect(await actionsOf(userId)).toContain("person.password_changed");
});

test("a stolen session cannot find out the password that a change requires", async () => {
  const { email } = await somebody();
  const thief = await browserOf(server).signIn(email, password);
  const guesses = Array.from({ length: 20 }, (_, at) =>
    thief.auth("/change-password", { currentPassword: `guess ${at}`, newPassword: "mine from now on" }),
  );
  const statuses = (await Promise.all(guesses)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 400).length).toBeLessThanOrEqual(10);
  // Too fast, or too many at once.
  expect([...new Set(statuses)].filter((status) => ![400, 429, 503].includes(status))).toEqual([]);
});

test("a reset link works once, ends all sessions, and invalidates all other links", async () => {
  const { email, userId } = await somebody();
  const browser = await browserOf(server).signIn(email, password);
  const ask = () => browserOf(server).auth("/request-password-reset", { email });
  await ask();
  await ask();
  const links = await linksFor(email);
  expect(links).toHaveLength(2);
  const [first = "", second = ""] = links.map(tokenIn);
  const reset = (token: string, newPassword: string) =>
    browserOf(server).auth("/reset-password", { token, newPassword });
  const rows = JSON.stringify(await database.prisma.verification.findMany());
  expect(rows).toContain(userId);
  expect(rows).not.toContain(first);
  expect((await reset(first, "short")).status).toBe(400);
  expect((await reset(first, "chosen by the owner")).status).toBe(200);
  expect((await reset(first, "chosen by a thief")).status).toBe(400);
  expect((await reset(second, "chosen by a thief")).status).toBe(400);
  expect(await browser.sessionStatus()).toBe(401);
  await browserOf(server).signIn(email, "chosen by the owner");
  expect(await actionsOf(userId)).toContain("person.password_reset");
});

test("a reset link ends after an hour", async () => {
  const { email, userId } = await somebody();
  await browserOf(server).auth("/request-password-reset", { email });
  const token = tokenIn((await linksFor(email)).at(-1) ?? "");
  const row = await database.prisma.verification.findFirstOrThrow({ where: { value: userId } });
  expect(row.expires_at.getTime() - row.created_at.getTime()).toBeLessThanOrEqual(3_600_000);
  await database.prisma.verification.update({
    where: { id: row.id },
    data: { expires_at: "2020-01-01T00:00:00.000Z" },
  });
  const late = { token, newPassword: "chosen too late" };
  expect((await browserOf(server).auth("/reset-password", late)).status).toBe(400);
});

test("requesting a reset does not reveal accounts, and cannot fill a mailbox", async () => {
  const { email } = await somebody();
  const nobody = { email: "nobody-at-all@example.eu" };
  const known = await browserOf(server).auth("/request-password-reset", { email });
  const unknown = await browserOf(server).auth("/request-password-reset", nobody);
  expect([known.status, await known.text()]).toEqual([unknown.status, await unknown.text()]);
  for (let at = 0; at < 4; at++) await browserOf(server).auth("/request-password-reset", { email });
  expect(await linksFor(email)).toHaveLength(3);
  expect(await linksFor(nobody.email)).toHaveLength(0);
});

test("the answer to a reset request is the same work for every address: one job, without a look-up", async () => {
  const { email } = await somebody();
  // Otherwise that happens meanwhile, with some statements.
  await server.services.transparency.sequencer.run();
  const enqueue = vi.spyOn(server.services.queue, "enqueue").mockResolvedValue(true);
  try {
    const statements = async () => (await server.services.metrics.statements.get()).values[0]?.value ?? 0;
    const times = 30;
    for (const address of [email, "nobody-at-all@example.eu"]) {
      enqueue.mockClear();
      const before = await statements();
      for (let at = 0; at < times; at++) {
        const response = await browserOf(server).auth("/request-password-reset", { email: address });
        expect(response.status).toBe(200);
      }
      expect(enqueue.mock.calls.map(([, name]) => name)).toEqual(Array(times).fill("password-reset"));
      // The snapshot and the audit logs are looked at meanwhile, about once a second.
      expect((await statements()) - before).toBeLessThan(times / 2);
      for (const [, , payload] of enqueue.mock.calls) expect(JSON.stringify(payload)).not.toContain(address);
    }
    const bad = await browserOf(server).auth("/request-password-reset", { email: "no address" });
    expect(bad.status).toBe(400);
  } finally {
    enqueue.mockRestore();
  }
});

test("a person sees their sessions, ends one or all, and nobody else's", async () => {
  const [ada, grace] = [await somebody(), await somebody()];
  const here = await browserOf(server).signIn(ada.email, password);
  const there = await browserOf(server).signIn(ada.email, password);
  const stranger = await browserOf(server).signIn(grace.email, password);
  const { sessions } = await here.read<Profile>("profile.get");
  expect(sessions).toHaveLength(2);
  const other = sessions.find(({ current }) => !current)?.id ?? "";
  expect((await stranger.mutate("profile.endSession", { id: other })).status).toBe(404);
  expect(await there.sessionStatus()).toBe(200);
  expect((await here.mutate("profile.endSession", { id: other })).status).toBe(200);
  expect(await there.sessionStatus()).toBe(401);
  expect((await here.mutate("profile.signOutEverywhere")).status).toBe(200);
  expect(await here.sessionStatus()).toBe(401);
  expect(await stranger.sessionStatus()).toBe(200);
});

test("two hundred guesses at one account check ten passwords in a minute", async () => {
  const { email } = await somebody();
  const startMs = clock.monotonicMs();
  const answers: number[] = [];
  for (let at = 0; at < 20; at++) {
    const guesses = Array.from({ length: 10 }, (_, each) =>
      browserOf(server).request(
        "POST",
        "/api/auth/sign-in/email",
        { email, password: `guess ${at} ${each}` },
        { "x-forwarded-for": `10.0.${at}.${each}`, "x-portolan-peer": `10.1.${at}.${each}` },
      ),
    );
    answers.push(...(await Promise.all(guesses)).map(({ status }) => status));
  }
  const looked = answers.filter((status) => status === 401).length;
  expect(answers.filter((status) => status === 429)).toHaveLength(200 - looked);
  const minutes = Math.ceil((clock.monotonicMs() - startMs) / 60_000);
  expect(looked).toBeLessThanOrEqual(10 * minutes);
});

test("an address has thirty attempts per minute", async () => {
  vi.restoreAllMocks();
  // The middle of a window: the burst does not meet its end, however slow the machine.
  const nowMs = Math.floor(clock.nowMs() / 60_000) * 60_000 + 20_000;
  vi.spyOn(clock, "nowMs").mockReturnValue(nowMs);
  const attempt = () =>
    browserOf(server).request(
      "POST",
      "/api/auth/sign-in/email",
      { email: `${uuidv7()}@example.eu`, password: "a guess" },
      { "x-forwarded-for": "203.0.113.7" },
    );
  const answers = await Promise.all(Array.from({ length: 34 }, attempt));
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(4);
  expect(Number(refused[0]?.headers.get("retry-after"))).toBeLessThanOrEqual(60);
});
