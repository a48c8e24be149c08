import { expect, test } from "vitest";
import { limits } from "#server/platform/limits.ts";
import { ParameterChanges } from "./changes.ts";
import { createRefusedFields, leaveOut } from "./refused-fields.ts";

const { rememberMs, fieldsMax } = limits.upstream.refusedFields;

test("refused fields are left out at their endpoint, until they are forgotten", () => {
  let nowMs = 0;
  const fields = createRefusedFields(() => nowMs);
  expect(fields.of("a")).toBeUndefined();
  expect(fields.refused("a", "seed")).toBe(true);
  expect([...(fields.of("a") ?? [])]).toEqual(["seed"]);
  expect(fields.of("b")).toBeUndefined();
  nowMs = rememberMs;
  expect(fields.of("a")).toBeUndefined();
});

test.each([
  "tools",
  "response_format",
  "n",
  "stop",
  "service_tier",
  "store",
  "messages[0].name",
  "model",
  "max_tokens",
  "stream",
])("%s is never left out", (name) => {
  const fields = createRefusedFields(() => 0);
  expect(fields.refused("a", name)).toBe(false);
  expect(fields.of("a")).toBeUndefined();
});

test("a provider that refuses everything does not fill the memory", () => {
  const fields = createRefusedFields(() => 0);
  for (let at = 0; at < 2 * fieldsMax; at++) fields.refused("a", `field_${at}`);
  expect(fields.of("a")?.size).toBe(fieldsMax);
});

test("a refused field is removed from a body and reported; what the body does not have is not", () => {
  const changes = new ParameterChanges();
  const body = { model: "m", seed: 1, top_k: 2 };
  leaveOut(new Set(["seed", "min_p"]), body, changes);
  expect(body).toEqual({ model: "m", top_k: 2 });
  expect(changes.report()).toEqual({ dropped: ["seed"], translated: [], clamped: [] });
  leaveOut(undefined, body, changes);
  expect(body).toEqual({ model: "m", top_k: 2 });
});
