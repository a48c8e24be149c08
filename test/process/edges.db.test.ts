import { describe, expect, test } from "vitest";
import { ErrorEnvelope } from "#contract/errors.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer();
const { send, post } = server;

async function refusal(response: Response) {
  expect(response.headers.get("content-type")).toContain("application/json");
  const { error, requestId } = ErrorEnvelope.parse(await response.json());
  expect(requestId).toBe(response.headers.get("x-request-id"));
  return { status: response.status, code: error.code, param: error.param };
}
const noSuchPath = { status: 404, code: "NOT_FOUND", param: null };

test.each(["POST", "GET", "OPTIONS"])(
  "%s of what OpenAI serves and this API does not is a 404",
  async (method) => {
    for (const path of ["/responses/input_tokens", "/responses/compact", "/conversations"])
      expect(await refusal(await send(method, path)), path).toEqual(noSuchPath);
  },
);

test.each(["/api/v1", "/v1", "/api/v1/", "/v1/", "/v1?a=b"])(
  "%s answers as the API does, not the console",
  async (path) => {
    for (const method of ["GET", "POST", "PUT"])
      expect(await refusal(await fetch(server.origin + path, { method })), method).toEqual(noSuchPath);
  },
);

describe("x-session-id", () => {
  const ask = (session: string, body: object = {}) =>
    post(
      "/completions",
      { model: "sandbox/chat", prompt: "Hi", ...body },
      { headers: { "x-session-id": session } },
    );

  test("of 256 characters stands in the record as session_id, which wins over it", async () => {
    const given = "s".repeat(256);
    const recorded = async (response: Response) => {
      expect(response.status).toBe(200);
      await response.text();
      return (await server.record(response.headers.get("x-generation-id"))).session_id;
    };
    expect(await recorded(await ask(given))).toBe(given);
    expect(await recorded(await ask(`${given}s`, { session_id: "own" }))).toBe("own");
  });

  test("that is longer is refused as session_id is, never cut", async () => {
    const long = "s".repeat(257);
    expect(await refusal(await ask(long))).toEqual({
      status: 400,
      code: "BAD_REQUEST",
      param: "x-session-id",
    });
    expect(await refusal(await ask("short", { session_id: long }))).toMatchObject({
      status: 400,
      param: "session_id",
    });
  });
});
