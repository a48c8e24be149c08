import { expect } from "vitest";
import { exchangeCode } from "#server/keys/index.ts";
import { sha256 } from "#server/platform/crypto.ts";
import { randomToken } from "#server/platform/ids.ts";
import type { TestServer } from "./server.ts";

export type Fields = Record<string, unknown>;
export interface Problem {
  readonly error: { code: string; message: string; param: string | null; metadata: Fields };
}

export const callback_url = "https://app.example.eu/callback?x=a%20b";
export const verifier = randomToken(32);
export const challenge = { callback_url, code_challenge: sha256(verifier), code_challenge_method: "S256" };
export const invalidGrant = expect.objectContaining({
  code: "FORBIDDEN",
  metadata: { oauth_error: "invalid_grant" },
});

/** Makes authorization codes and exchanges them for keys. */
export function authorizationClient({ post, services }: TestServer) {
  async function codeOf(body: Fields = {}, options: { path?: string; key?: string } = {}): Promise<string> {
    const { path = "/auth/keys/code", key } = options;
    const response = await post(path, { ...challenge, ...body }, key ? { key } : {});
    expect(response.status).toBe(200);
    expect(response.headers.get("cache-control")).toBe("no-store");
    const made = (await response.json()) as { code: string; created_at: string };
    const forPrograms = path === "/auth/keys/code" ? ["data"] : [];
    expect(Object.keys(made).sort()).toEqual(["code", "created_at", ...forPrograms]);
    expect(made.code).toMatch(/^[\w-]{43}$/);
    return made.code;
  }

  const exchange = (body: Fields) => post("/auth/keys", body, { key: null });

  /** Exchanges a code without HTTP, over a database connection of the test's choice. */
  const exchangeWithin = (code: string, code_verifier = verifier, at = services.database) =>
    exchangeCode(at, "ptl", { code, code_verifier });

  async function keyOf(code: string): Promise<string> {
    const response = await exchange({ code, code_verifier: verifier });
    expect(response.status).toBe(200);
    return ((await response.json()) as { key: string }).key;
  }

  /** The status of a completion with a key. */
  const statusOf = async (key: string) =>
    (await post("/completions", { model: "sandbox/chat", prompt: "x", max_tokens: 1 }, { key })).status;

  return { codeOf, exchange, exchangeWithin, keyOf, statusOf };
}
