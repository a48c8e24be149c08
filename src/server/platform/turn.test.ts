import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { atEndOfTurn } from "./turn.ts";

test("the stages follow each other in their order, whatever the order of the calls", async () => {
  const done: string[] = [];
  for (const stage of ["send", "read", "record", "read"] as const)
    atEndOfTurn(stage, () => void done.push(stage));
  expect(done).toEqual([]);
  await nextTurn();
  expect(done).toEqual(["read", "read", "record", "send"]);
});

test("what a stage started takes part in the next stage of the same turn", async () => {
  const done: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  atEndOfTurn("read", resolve);
  const reader = promise.then(async () => {
    const recorded = Promise.withResolvers<void>();
    atEndOfTurn("record", recorded.resolve);
    await recorded.promise;
    atEndOfTurn("send", () => void done.push("sent"));
  });
  await nextTurn();
  expect(done).toEqual(["sent"]);
  await reader;
});

test.each(["read", "record", "send"] as const)(
  "work for %s that comes late is done in the next turn",
  async (stage) => {
    const done: string[] = [];
    atEndOfTurn("send", () => atEndOfTurn(stage, () => void done.push("late")));
    await nextTurn();
    expect(done).toEqual([]);
    await nextTurn();
    expect(done).toEqual(["late"]);
  },
);

test("work for a stage that is over is done in the next turn, although the turn goes on", async () => {
  const done: string[] = [];
  atEndOfTurn("record", () => atEndOfTurn("read", () => void done.push("late")));
  await nextTurn();
  expect(done).toEqual([]);
  await nextTurn();
  expect(done).toEqual(["late"]);
});
