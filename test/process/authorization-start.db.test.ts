import { describe, expect, test } from "vitest";
import { sha256 } from "#server/platform/crypto.ts";
import { randomToken } from "#server/platform/ids.ts";
import { refusal } from "./rule-client.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer();
const { send } = server;
const callback_url = "https://app.example.eu/callback?x=a%20b";
const challenge = { callback_url, code_challenge: sha256(randomToken(32)), code_challenge_method: "S256" };

describe("the start in a browser", () => {
  const begin = (parameters: Record<string, string>) =>
    send("GET", `/auth?${new URLSearchParams(parameters)}`, { key: null });

  test("leads to the consent page with everything that was asked, byte for byte", async () => {
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

  test("takes S256 when no method is given", async () => {
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
  ])("a bad %s answers 400 and leads nowhere: %o", async (param, wrong) => {
    const response = await begin({ ...challenge, ...wrong });
    expect(response.headers.get("location")).toBeNull();
    await refusal(response, 400, param);
  });
});
