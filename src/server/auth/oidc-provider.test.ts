import { inspect } from "node:util";
import { afterEach, expect, test } from "vitest";
import { sha256 } from "#server/platform/crypto.ts";
import { randomToken } from "#server/platform/ids.ts";
import { client, startIssuer, type Twist } from "#test/process/issuer.ts";
import { openOidc } from "./oidc-provider.ts";

const issuer = await startIssuer();
const opened: { close(): Promise<void> }[] = [];

afterEach(async () => {
  issuer.twist = {};
  await Promise.all(opened.splice(0).map((provider) => provider.close()));
});

function open(settings: { issuer?: string; id?: string; secret?: string } = {}) {
  const provider = openOidc({
    OIDC_ISSUER: settings.issuer ?? issuer.url,
    OIDC_CLIENT_ID: settings.id ?? client.id,
    OIDC_CLIENT_SECRET: settings.secret ?? client.secret,
    ALLOW_PRIVATE_HOSTS: [],
  });
  if (!provider) throw new Error("no provider");
  opened.push(provider);
  return provider;
}

/** A whole sign-in with a provider that is opened for it; `iss` is what the redirect says. */
async function signIn(
  twist: Twist = {},
  { iss, provider = open() }: { iss?: string; provider?: ReturnType<typeof open> } = {},
) {
  issuer.twist = twist;
  const attempt = {
    redirectUri: "https://llm.example.eu/api/auth/oidc/callback",
    state: randomToken(32),
    nonce: randomToken(32),
    verifier: randomToken(32),
  };
  const query = issuer.approve(await provider.authorizationUrl(attempt));
  return provider.identify({ code: query.get("code") ?? "", state: query.get("state") ?? "", iss }, attempt);
}

const now = () => Math.floor(Date.now() / 1000);

test("the person is read from the verified token", async () => {
  expect(await signIn({ claims: { sub: "s-1", email: "Ada@Example.EU", email_verified: "true" } })).toEqual({
    subject: `${issuer.url}#s-1`,
    email: "ada@example.eu",
    emailVerified: true,
    name: "Grace Hopper",
  });
});

test("the code is exchanged with its verifier and redirect address", async () => {
  const attempt = { redirectUri: "https://a.example/cb", state: "s", nonce: "n", verifier: randomToken(32) };
  const provider = open();
  const url = new URL(await provider.authorizationUrl(attempt));
  expect(Object.fromEntries(url.searchParams)).toEqual({
    client_id: client.id,
    response_type: "code",
    scope: "openid email profile",
    redirect_uri: attempt.redirectUri,
    state: "s",
    nonce: "n",
    code_challenge: sha256(attempt.verifier),
    code_challenge_method: "S256",
  });
  const code = issuer.approve(url.href).get("code") ?? "";
  await provider.identify({ code, state: "s", iss: undefined }, attempt);
  expect(Object.fromEntries(issuer.exchanges.at(-1)?.form ?? [])).toEqual({
    grant_type: "authorization_code",
    code,
    redirect_uri: attempt.redirectUri,
    code_verifier: attempt.verifier,
  });
});

test("the client proves itself in the header, or in the body of a provider that takes nothing else", async () => {
  await signIn({}, { provider: open({ id: "my-client_1.eu", secret: "a-b c+d" }) }).catch(() => {});
  const [scheme, pair = ""] = issuer.exchanges.at(-1)?.authorization?.split(" ") ?? [];
  expect(scheme).toBe("Basic");
  expect(Buffer.from(pair, "base64").toString()).toBe("my-client_1.eu:a-b%20c%2Bd");
  await signIn({ metadata: { token_endpoint_auth_methods_supported: ["client_secret_post"] } });
  const { authorization, form } = issuer.exchanges.at(-1) ?? {};
  expect(authorization).toBeUndefined();
  expect([form?.get("client_id"), form?.get("client_secret")]).toEqual([client.id, client.secret]);
});

test.each<[string, Twist]>([
  ["that ended within the tolerated difference of clocks", { claims: { exp: now() - 30 } }],
  ["that begins within the tolerated difference of clocks", { claims: { nbf: now() + 30 } }],
  ["for several clients, issued to this one", { claims: { aud: [client.id, "other"], azp: client.id } }],
])("a token %s is accepted", async (_, twist) => {
  expect(await signIn(twist)).toMatchObject({ email: "grace@example.eu" });
});

test.each<[string, Twist]>([
  ["that ended before that", { claims: { exp: now() - 90 } }],
  ["that begins later than that", { claims: { nbf: now() + 90 } }],
  ["without a subject", { claims: { sub: undefined } }],
  ["without an end", { claims: { exp: undefined } }],
  ["without a time of issue", { claims: { iat: undefined } }],
  ["without an audience", { claims: { aud: undefined } }],
  ["for several clients, issued to nobody", { claims: { aud: [client.id, "other"] } }],
  ["for this client, issued to another", { claims: { azp: "other" } }],
  ["of another issuer", { claims: { iss: "https://evil.example" } }],
  ["with another nonce", { claims: { nonce: "another" } }],
  ["without a nonce", { claims: { nonce: undefined } }],
  ["signed with an unknown key", { strangeKey: true }],
  ["without a signature", { algorithm: "none" }],
  ["without an e-mail address", { claims: { email: undefined } }],
])("a token %s is refused", async (_, twist) => {
  await expect(signIn(twist)).rejects.toThrow();
});

test("the issuer that the redirect names is checked, and required where the provider promises it", async () => {
  expect(await signIn({}, { iss: issuer.url })).toMatchObject({ email: "grace@example.eu" });
  await expect(signIn({}, { iss: "https://evil.example" })).rejects.toThrow();
  const promised = { metadata: { authorization_response_iss_parameter_supported: true } };
  await expect(signIn(promised)).rejects.toThrow();
  expect(await signIn(promised, { iss: issuer.url })).toMatchObject({ email: "grace@example.eu" });
});

test("an address that the token lacks comes from the user info, which must be about the same person", async () => {
  const metadata = { userinfo_endpoint: `${issuer.url}/userinfo` };
  const claims = { sub: "s-2", email: undefined };
  const userInfo = { sub: "s-2", email: "ada@example.eu", email_verified: true, name: "Ada" };
  expect(await signIn({ metadata, claims, userInfo })).toEqual({
    subject: `${issuer.url}#s-2`,
    email: "ada@example.eu",
    emailVerified: true,
    name: "Ada",
  });
  await expect(signIn({ metadata, claims, userInfo: { ...userInfo, sub: "other" } })).rejects.toThrow();
});

test("a provider that calls itself something else is refused, and the message names the setting", async () => {
  await expect(signIn({ metadata: { issuer: `${issuer.url}/` } })).rejects.toThrow("OIDC_ISSUER");
});

test("the address guard and the limit of bytes hold for every request", async () => {
  await expect(signIn({ metadata: { token_endpoint: "http://10.1.2.3/token" } })).rejects.toThrow(
    "10.1.2.3 is not a public address",
  );
  await expect(signIn({ metadata: { jwks_uri: "http://10.1.2.3/jwks" } })).rejects.toThrow(
    "10.1.2.3 is not a public address",
  );
  const body = JSON.stringify({ keys: [], padding: "x".repeat(2 ** 20) });
  await expect(signIn({ answers: { "/jwks": { status: 200, body } } })).rejects.toThrow("larger than");
});

test("a provider that does not answer causes an error that says so, and is tried again at the next attempt", async () => {
  const provider = open({ issuer: "http://127.0.0.1:9" });
  const attempt = { redirectUri: "https://a.example/cb", state: "s", nonce: "n", verifier: randomToken(32) };
  await expect(provider.authorizationUrl(attempt)).rejects.toThrow("The connection failed");
  const answers = { "/.well-known/openid-configuration": { status: 503, body: "{}" } };
  const returning = open();
  await expect(signIn({ answers }, { provider: returning })).rejects.toThrow(
    "/.well-known/openid-configuration of the provider answered 503",
  );
  expect(await signIn({}, { provider: returning })).toMatchObject({ email: "grace@example.eu" });
});

test("metadata and keys are read once", async () => {
  const provider = open();
  await signIn({}, { provider });
  const before = issuer.paths.length;
  await signIn({}, { provider });
  expect(issuer.paths.slice(before)).toEqual(["/token"]);
});

test("a refusal says what to correct, and an error contains nothing of a token", async () => {
  const refusal = { status: 401, body: JSON.stringify({ error: "invalid_client" }) };
  await expect(signIn({ answers: { "/token": refusal } })).rejects.toThrow(
    "/token of the provider answered 401 (invalid_client): check OIDC_CLIENT_ID and OIDC_CLIENT_SECRET",
  );
  const secret = "eyJzZWNyZXQ";
  const body = JSON.stringify({ id_token: secret, access_token: "x", token_type: "Bearer" });
  const error = await signIn({ answers: { "/token": { status: 200, body } } }).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(Error);
  expect(inspect(error)).not.toContain(secret);
});
