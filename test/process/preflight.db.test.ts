import { expect, test } from "vitest";
import { limits } from "#server/platform/limits.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer();

/** The answer to a browser's preflight request with these headers. */
async function allowedAt(path: string, requested: string, method = "POST"): Promise<string[]> {
  const response = await server.send("OPTIONS", path, {
    key: null,
    headers: {
      origin: "https://app.example",
      "access-control-request-method": method,
      "access-control-request-headers": requested,
    },
  });
  expect(response.status).toBe(204);
  expect(response.headers.get("access-control-allow-origin")).toBe("*");
  expect(response.headers.get("access-control-allow-credentials")).toBeNull();
  expect(response.headers.get("access-control-allow-methods")).toContain(method);
  return response.headers.get("access-control-allow-headers")?.split(", ") ?? [];
}

test.each([
  ["/chat/completions", "POST"],
  ["/responses", "POST"],
  ["/v2/rerank", "POST"],
  ["/models", "GET"],
  ["/keys", "POST"],
])("%s may be requested by browser clients with the headers they send", async (path, method) => {
  const requested = [
    "authorization",
    "http-referer",
    "x-openrouter-title",
    "x-stainless-os",
    "X-Stainless-Lang",
  ];
  const allowed = await allowedAt(path, requested.join(","), method);
  expect(allowed).toEqual(expect.arrayContaining(requested.map((name) => name.toLowerCase())));
  expect(new Set(allowed).size).toBe(allowed.length);
});

test("an invalid header name is not allowed, and too long a list is not read", async () => {
  const allowed = await allowedAt("/models", "x-good, x bad, *x@bad, , x-b:ad", "GET");
  expect(allowed).toContain("x-good");
  expect(allowed.filter((name) => name === "" || name.includes("bad") || name.includes(":"))).toEqual([]);
  const long = `x-good,${"x".repeat(limits.http.preflightHeaderCharsMax)}`;
  expect(await allowedAt("/models", long, "GET")).not.toContain("x-good");
});
