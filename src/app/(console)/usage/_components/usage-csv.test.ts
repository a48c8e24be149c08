import { expect, test } from "vitest";
import { csvOf } from "./usage-csv.ts";

const report = {
  day: "2026-11-01",
  api_key_id: "0190a000-0000-7000-8000-000000000000",
  requests: 2,
  errors: 1,
  prompt_tokens: 3,
  completion_tokens: 4,
  cached_tokens: 0,
  reasoning_tokens: 0,
  search_units: 0,
  cost_eur: "0.000000000001",
  cost_usd: "0.000000000002",
  upstream_usd: "0",
};

test("amounts stay exact, names with commas stay one field, and a name is never a formula", () => {
  const csv = csvOf([report], "api_key_id", () => '=cmd,"x"');
  const [head, line] = csv.split("\n");
  expect(head).toMatch(/^day,api_key_id,name,requests,errors,/);
  expect(line).toContain(`"'=cmd,""x"""`);
  expect(line).toMatch(/,0\.000000000001,0\.000000000002,0$/);
});
