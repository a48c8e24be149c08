import { expect, test } from "vitest";
import { startTestServer } from "./server.ts";

const { origin } = await startTestServer();

test("the page to verify proofs is served without a session, contains all it needs, and can send nothing", async () => {
  const response = await fetch(`${origin}/verify`);
  const html = await response.text();
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
  const policy = response.headers.get("content-security-policy") ?? "";
  expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-[^' ]+'; style-src 'sha256-[^' ]+'; /);
  expect(policy).toContain("form-action 'none'");
  expect(html).not.toMatch(/\b(?:src|href)=|@import|url\(/);
});
