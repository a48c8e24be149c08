import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { attemptText, endpointRole, isGood } from "./attempt-words.ts";

const attempt = (outcome: string, status: number | null = null) => ({
  ...{ endpoint: "acme:m", provider: "acme", outcome, status, duration_ms: 1 },
});
const failed = { status: "failed", error_code: "PROVIDER_ERROR" } as const;
const completed = { status: "completed", error_code: null } as const;

const pipeline = "src/server/inference/pipeline";
const outcomes = readdirSync(pipeline)
  .filter((name) => name.endsWith(".ts") && !name.includes(".test."))
  .flatMap((name) => [...readFileSync(join(pipeline, name), "utf8").matchAll(/outcome: "([a-z_]+)"/g)])
  .map(([, outcome = ""]) => outcome);

test("every outcome that the server records has a sentence", () => {
  expect(outcomes.length).toBeGreaterThan(15);
  for (const outcome of outcomes)
    expect(attemptText(attempt(outcome), failed), outcome).not.toBe(outcome.replaceAll("_", " "));
});

test.each([
  ["ok", 200, completed, "answered", true],
  ["ok", 200, failed, "began to answer, then broke off (PROVIDER_ERROR)", false],
  ["ok", 200, { status: "cancelled", error_code: null }, "answered until the client disconnected", true],
  ["ok", 200, { status: "interrupted", error_code: null }, "answered until the server stopped", false],
  ["rate_limited", 429, completed, "refused the request because of its rate limit (HTTP 429)", false],
  ["refused", null, completed, "could not be reached", false],
  ["of_a_later_version", null, completed, "of a later version", false],
] as const)("an attempt with the outcome %s and the status %s of a request that was %o", (...row) => {
  const [outcome, status, ending, text, good] = row;
  expect(attemptText(attempt(outcome, status), ending)).toBe(text);
  expect(isGood(attempt(outcome, status), ending)).toBe(good);
});

test.each([
  ["completed", ["timeout", "ok"], "Served by"],
  ["failed", ["timeout"], "Last tried"],
  ["failed", ["ok"], "Partly served by"],
  ["cancelled", ["aborted"], "Last tried"],
  ["cancelled", ["ok"], "Served by"],
  ["interrupted", [], "Served by"],
] as const)("the last endpoint of a %s request with the attempts %o", (status, tried, role) => {
  expect(endpointRole({ status, tries: tried.map((outcome) => attempt(outcome)) })).toBe(role);
});
