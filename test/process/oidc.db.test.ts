import { afterEach, expect, test } from "vitest";
import type { CurrentSession } from "#contract/overview.ts";
import { sha256 } from "#server/platform/crypto.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { type Browser, browserOf, ignoreAddressLimit } from "./browser.ts";
import { client, startIssuer, type Twist } from "./issuer.ts";
import { startTestServer } from "./server.ts";

const issuer = await startIssuer();
const server = await startTestServer({
  settings: { OIDC_ISSUER: issuer.url, OIDC_CLIENT_ID: client.id, OIDC_CLIENT_SECRET: client.secret },
});
const { prisma } = server.services.database;

ignoreAddressLimit();

afterEach(() => {
  issuer.twist = {};
});

async function begin(browser: Browser, next?: string): Promise<string> {
  const response = await browser.auth("/sign-in/oidc", { ...(next && { next }) });
  expect(response.status).toBe(200);
  return ((await response.json()) as { url: string }).url;
}

const finish = (browser: Browser, answer: URLSearchParams) =>
  browser.request("GET", `/api/auth/oidc/callback?${answer}`);

/** Goes through the whole sign-in. Returns the browser and where it was sent. */
async function signIn(twist: Twist = {}, next?: string) {
  issuer.twist = twist;
  const browser = browserOf(server);
  const response = await finish(browser, issuer.approve(await begin(browser, next)));
  expect(response.status).toBe(302);
  return { browser, location: response.headers.get("location") };
}

/** The claims about somebody new. */
const somebody = (more: object = {}) => ({
  claims: { sub: uuidv7(), email: `${uuidv7()}@example.eu`, ...more },
});

async function invite(email: string, role = "member"): Promise<void> {
  const response = await server.post("/invitations", { email, role });
  expect(response.status).toBe(201);
}

test("an invited person signs in with the invitation's role, and again by subject", async () => {
  const { claims } = somebody();
  await invite(claims.email, "viewer");
  const { browser, location } = await signIn({ claims }, "/keys?create=true");
  expect(location).toBe("/keys?create=true");
  expect(await browser.read<CurrentSession>("session.get")).toMatchObject({
    email: claims.email,
    role: "viewer",
  });
  expect(await prisma.invitation.count({ where: { email: claims.email } })).toBe(0);
  const later = await signIn({ claims: { ...claims, email: "new@example.eu", email_verified: false } });
  expect((await later.browser.read<CurrentSession>("session.get")).email).toBe(claims.email);
});

test("the request follows the standard, and the exchange authenticates the client", async () => {
  const browser = browserOf(server);
  const url = new URL(await begin(browser));
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    client_id: client.id,
    response_type: "code",
    scope: "openid email profile",
    code_challenge_method: "S256",
    redirect_uri: `${server.origin}/api/auth/oidc/callback`,
  });
  await finish(browser, issuer.approve(url.href));
  const { authorization = "", form } = issuer.exchanges.at(-1) ?? { form: new URLSearchParams() };
  const pair = Buffer.from(authorization.replace("Basic ", ""), "base64").toString();
  expect(pair).toBe(`${client.id}:${encodeURIComponent(client.secret)}`);
  expect(sha256(form.get("code_verifier") ?? "")).toBe(url.searchParams.get("code_challenge"));
});

test("a person without an invitation is refused, and no account is created", async () => {
  const { claims } = somebody();
  const { browser, location } = await signIn({ claims });
  expect(location).toBe("/sign-in?error=not_invited");
  expect(await browser.sessionStatus()).toBe(401);
  expect(await prisma.user.count({ where: { email: claims.email } })).toBe(0);
});

test("an unverified address signs nobody in, invited or known", async () => {
  const admin = await prisma.user.findFirstOrThrow();
  const invited = somebody({ email_verified: false });
  await invite(invited.claims.email);
  const known = somebody({ email: admin.email, email_verified: false });
  const silent = somebody({ email: admin.email, email_verified: undefined });
  for (const twist of [invited, known, silent]) {
    const { browser, location } = await signIn(twist);
    expect(location).toBe("/sign-in?error=email_unverified");
    expect(await browser.sessionStatus()).toBe(401);
  }
});

test.each<[string, Twist]>([
  ["with another nonce", { claims: { nonce: "another" } }],
  ["without a nonce", { claims: { nonce: undefined } }],
  ["for another client", { claims: { aud: "another" } }],
  ["for several clients, issued to another", { claims: { aud: [client.id, "other"], azp: "other" } }],
  ["of another issuer", { claims: { iss: "https://evil.example" } }],
  ["that has ended", { claims: { exp: 1_000_000 } }],
  ["signed with a strange key", { strangeKey: true }],
  ["without a signature", { algorithm: "none" }],
])("an identity token %s is refused", async (_, twist) => {
  const { claims } = somebody();
  await invite(claims.email);
  const { browser, location } = await signIn({ ...twist, claims: { ...claims, ...twist.claims } });
  expect(location).toBe("/sign-in?error=oidc_failed");
  expect(await browser.sessionStatus()).toBe(401);
});

test("an answer is accepted only in the requesting browser, with its state, and once", async () => {
  const { claims } = somebody();
  await invite(claims.email);
  issuer.twist = { claims };
  const [victim, attacker] = [browserOf(server), browserOf(server)];
  const answer = issuer.approve(await begin(attacker));
  const planted = await finish(victim, answer);
  expect(planted.headers.get("location")).toBe("/sign-in?error=oidc_state");
  const forged = new URLSearchParams({ code: answer.get("code") ?? "", state: "forged" });
  expect((await finish(attacker, forged)).headers.get("location")).toBe("/sign-in?error=oidc_state");
  // The attempt is over with its first answer.
  expect((await finish(attacker, answer)).headers.get("location")).toBe("/sign-in?error=oidc_state");
  expect(await attacker.sessionStatus()).toBe(401);
});

test("a password set for an unverified address ends when its owner signs in", async () => {
  const { claims } = somebody();
  const made = await server.post("/invitations", { email: claims.email });
  const token = new URL(((await made.json()) as { link: string }).link).hash.slice(1);
  const password = "set by whoever had the link";
  await server.post("/invitations/accept", { token, name: "Squatter", password }, { key: null });
  const squatter = await browserOf(server).signIn(claims.email, password);
  const { browser } = await signIn({ claims });
  expect((await browser.read<CurrentSession>("session.get")).email).toBe(claims.email);
  expect(await squatter.sessionStatus()).toBe(401);
  const again = await browserOf(server).auth("/sign-in/email", { email: claims.email, password });
  expect(again.status).toBe(401);
});

test("the redirect leads only to our own pages", async () => {
  const { claims } = somebody();
  await invite(claims.email);
  for (const next of [
    "//evil.example",
    "https://evil.example",
    "/\\evil.example",
    "/\t/evil.example",
    "/.//evil.example",
  ]) {
    const { location } = await signIn({ claims }, next);
    expect(new URL(location ?? "", server.origin).href, next).toBe(`${server.origin}/`);
  }
});

test("an address is linked to its account, whose other sign-in methods stay", async () => {
  const admin = await prisma.user.findFirstOrThrow();
  const { browser } = await signIn(somebody({ email: admin.email?.toUpperCase() }));
  expect(await browser.read<CurrentSession>("session.get")).toMatchObject({
    user_id: admin.id,
    role: "owner",
  });
  expect(await prisma.account.count({ where: { user_id: admin.id } })).toBe(2);
});
