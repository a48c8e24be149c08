import { expect, test } from "vitest";
import { keyState } from "./key-state.ts";

const nowMs = Date.parse("2026-06-01T00:00:00.000Z");
const unlimited = { limit: null, effective_limit: null, limit_remaining: null };
const usedUp = { limit: 5, effective_limit: 5, limit_remaining: 0 };
const key = { name: "Search", disabled: false, expires_at: null, ...unlimited, parent_hash: null };
const parent = { ...key, name: "Team" };
const family = (stands: object) => new Map([["AAAAAAAAAAAA", { ...parent, ...stands }]]);

test.each([
  ["Active", {}],
  ["Disabled", { disabled: true }],
  ["Expired", { expires_at: "2026-06-01T00:00:00.000Z" }],
  ["Active", { expires_at: "2026-06-01T00:00:00.001Z" }],
  ["Limit reached", usedUp],
  ["Active", { ...usedUp, limit_remaining: 0.000001 }],
  ["Shared limit reached", { ...usedUp, limit: null }],
  ["Shared limit reached", { ...usedUp, limit: 10 }],
])("the status of a key is %s with %o", (label, stands) => {
  expect(keyState({ ...key, ...stands }, new Map(), nowMs).label).toBe(label);
});

test("a key is inactive with its parent key, which is named; its own reason comes first", () => {
  const child = { ...key, parent_hash: "AAAAAAAAAAAA" };
  expect(keyState(child, family({}), nowMs).label).toBe("Active");
  expect(keyState(child, family({ disabled: true }), nowMs).label).toBe("Disabled: parent key Team");
  expect(keyState({ ...child, disabled: true }, family(usedUp), nowMs).label).toBe("Disabled");
  expect(keyState({ ...child, ...usedUp, limit: null }, family(usedUp), nowMs).label).toBe(
    "Limit reached: parent key Team",
  );
});
