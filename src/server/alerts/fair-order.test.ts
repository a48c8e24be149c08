import { expect, test } from "vitest";
import { runFairly } from "./fair-order.ts";

/** Runs items `organisation:durationMs` on a clock of its own. */
async function order(items: readonly string[], turn = 0) {
  const ran: string[] = [];
  let nowMs = 0;
  const late = await runFairly(
    items,
    async (item) => {
      ran.push(item);
      nowMs += Number(item.split(":")[1]);
    },
    { groupOf: (item) => item.split(":")[0] ?? "", perGroupMs: 100, turn, now: () => nowMs },
  );
  return { ran, late };
}

const slow = Array.from({ length: 50 }, () => "slow:40");
const fast = Array.from({ length: 10 }, () => "fast:1");

test("an organisation with many slow rules delays each other one by one of its rules only", async () => {
  const { ran } = await order([...slow, ...fast]);
  expect(ran.slice(0, 11)).toEqual(["slow:40", ...fast]);
});

test("an organisation that used up its time has the rest left out, and the others are complete", async () => {
  const { ran, late } = await order([...slow, ...fast]);
  expect(ran.filter((item) => item === "slow:40")).toHaveLength(3);
  expect(late).toHaveLength(47);
});

test("every rule has its turn, however slow the others of its organisation are", async () => {
  const rules = Array.from({ length: 9 }, (_, index) => `slow:${60 + index}`);
  const seen = new Set<string>();
  for (let turn = 0; turn < rules.length; turn += 1)
    for (const rule of (await order(rules, turn)).ran) seen.add(rule);
  expect(seen.size).toBe(9);
});

test("nothing is run once the time of the job is up", async () => {
  const ran: string[] = [];
  const late = await runFairly(
    fast,
    async (item) => {
      ran.push(item);
    },
    { groupOf: () => "one", perGroupMs: 100, turn: 0, signal: AbortSignal.abort() },
  );
  expect([ran.length, late.length]).toEqual([0, 10]);
});
