import { describe, expect, test } from "vitest";
import type { ApiKey, CreatedKey } from "#contract/key.ts";
import { randomToken } from "#server/platform/ids.ts";
import {
  authorizationClient,
  callback_url,
  challenge,
  invalidGrant,
  type Problem,
  verifier,
} from "./authorizing.ts";
import { refusal } from "./rule-client.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer();
const { send, post } = server;
const { codeOf, exchange, exchangeWithin, keyOf, statusOf } = authorizationClient(server);

describe("the start in a browser", () => {
  const begin = (parameters: Record<string, string>) =>
    send("GET", `/auth?${new URLSearchParams(parameters)}`, { key: null });

  test("leads to the consent page with all parameters, byte for byte", async () => {
    const state = "a b+c&d=é/%20\r\nSet-Cookie: x";
    const response = await begin({
      ...challenge,
      state,
      redirect_uri: callback_url,
      response_type: "code",
      client_id: "me",
    });
    expect([response.status, await response.text()]).toEqual([302, ""]);
    expect(response.headers.get("cache-control")).toBe("no-store");
    const location = new URL(response.headers.get("location") ?? "", server.origin);
    expect([location.origin, location.pathname]).toEqual([server.origin, "/auth"]);
    expect(Object.fromEntries(location.searchParams)).toEqual({
      ...challenge,
      state,
      redirect_uri: callback_url,
      response_type: "code",
      client_id: "me",
    });
  });

  test("uses S256 if no method is given", async () => {
    const { code_challenge_method: _, ...rest } = challenge;
    const response = await begin(rest);
    expect(response.headers.get("location")).toContain("code_challenge_method=S256");
  });

  test.each([
    ["callback_url", { callback_url: "https://user@evil.example/" }],
    ["callback_url", { callback_url: "//evil.example" }],
    ["redirect_uri", { redirect_uri: "https://app.example.eu/other" }],
    ["response_type", { response_type: "token" }],
    ["code_challenge", { code_challenge: "short" }],
    ["state", { state: "\uFFFD" }],
  ])("a bad %s answers 400 without a redirect: %o", async (param, wrong) => {
    const response = await begin({ ...challenge, ...wrong });
    expect(response.headers.get("location")).toBeNull();
    await refusal(response, 400, param);
  });
});

describe("the limits of an issued key", () => {
  test("a reset without a limit is refused by the name it was sent with", async () => {
    const pkce = { callback_url: "https://app.example/back", code_challenge: "a".repeat(43) };
    for (const name of ["limit_reset", "usage_limit_type"]) {
      const response = await post("/auth/keys/code", { ...pkce, [name]: "weekly" });
      expect([response.status, ((await response.json()) as Problem).error.param]).toEqual([400, name]);
    }
  });

  test("limit, reset, expiry and label come from the request", async () => {
    const code = await codeOf({
      limit: 2.5,
      usage_limit_type: "weekly",
      expires_at: "2031-05-06T07:08:09Z",
      key_label: "Bounded",
    });
    const key = await keyOf(code);
    const { data } = (await (await send("GET", "/key", { key })).json()) as { data: ApiKey };
    expect(data).toMatchObject({
      name: "Bounded",
      limit: 2.5,
      limit_reset: "weekly",
      expires_at: "2031-05-06T07:08:09.000Z",
      permissions: ["inference:use"],
    });
  });

  test("bounds never exceed those of the requesting key", async () => {
    const made = await post("/keys", {
      name: "Maker",
      limit: 1,
      permissions: ["inference:use", "keys:write"],
      allowed_models: ["sandbox/chat"],
    });
    const maker = (await made.json()) as CreatedKey;
    for (const preference of [{ limit: 1.5 }, { allowed_models: ["other/model"] }]) {
      expect(
        (await post("/auth/keys/code", { ...challenge, ...preference }, { key: maker.key })).status,
      ).toBe(403);
    }
    const key = await keyOf(await codeOf({}, { key: maker.key }));
    const { data } = (await (await send("GET", "/key", { key })).json()) as { data: ApiKey };
    expect(data.allowed_models).toEqual(["sandbox/chat"]);
    await send("PATCH", `/keys/${maker.data.hash}`, { body: JSON.stringify({ disabled: true }) });
    expect(await statusOf(key)).toBe(401);
  });
});

describe("a request is checked before anything is created", () => {
  test.each([
    ["callback_url", { callback_url: "http://app.example.eu/" }],
    ["callback_url", { callback_url: "javascript:alert(1)" }],
    ["code_challenge", { code_challenge: "short" }],
    ["code_challenge", { code_challenge: "a".repeat(42) }],
    ["code_challenge", { code_challenge: "a".repeat(129) }],
    ["code_challenge", { code_challenge: `${"a".repeat(42)}=` }],
    ["code_challenge_method", { code_challenge_method: "s256" }],
    ["code_challenge", { code_challenge: undefined }],
    ["limits", { limits: 1 }],
  ])("%s in %o answers 400", async (param, body) => {
    const response = await post("/auth/keys/code", { ...challenge, ...body });
    expect(response.status).toBe(400);
    expect(((await response.json()) as Problem).error.param).toBe(param);
  });

  test.each(["a".repeat(42), "a".repeat(129), `${"a".repeat(43)}+`])(
    "the verifier %s answers 400",
    async (text) => {
      expect((await exchange({ code: "x", code_verifier: text })).status).toBe(400);
    },
  );

  test("`plain` accepts only its own verifier, and the exchange cannot choose the method", async () => {
    const plain = `${randomToken(32)}.~`;
    const preference = { code_challenge: plain, code_challenge_method: "plain" };
    const [code, other] = [await codeOf(preference), await codeOf()];
    expect((await exchange({ code, code_verifier: plain, code_challenge_method: "S256" })).status).toBe(400);
    expect((await exchange({ code, code_verifier: plain, code_challenge_method: "plain" })).status).toBe(200);
    await expect(exchangeWithin(other, challenge.code_challenge)).rejects.toEqual(invalidGrant);
  });

  test("other methods than POST answer 405, other types 415", async () => {
    const get = await send("GET", "/auth/keys", { key: null });
    expect([get.status, get.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
    const form = { body: "code=x", headers: { "content-type": "application/x-www-form-urlencoded" } };
    expect((await send("POST", "/auth/keys", form)).status).toBe(415);
  });

  test("an address with ten failures is refused further tries for a while", async () => {
    const statuses = [];
    for (let at = 0; at < 12; at++) {
      statuses.push((await exchange({ code: randomToken(32), code_verifier: verifier })).status);
    }
    expect(statuses.at(0)).toBe(403);
    const last = await exchange({ code: randomToken(32), code_verifier: verifier });
    expect(last.status).toBe(429);
    expect(Number(last.headers.get("retry-after"))).toBeGreaterThan(0);
  });
});
