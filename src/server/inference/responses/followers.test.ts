import { setTimeout as wait } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { until } from "#test/until.ts";
import type { NewEvents } from "./events.ts";
import { Followers } from "./followers.ts";

const row = { id: "r", org_id: "o" };
const never = new AbortController().signal;

/** A response whose events are written by the test. */
function response() {
  const log = { count: 0, ended: false, reads: 0, isAway: false };
  const read = async (_: unknown, behind: number): Promise<NewEvents> => {
    log.reads++;
    const { count, ended } = log;
    if (log.isAway) throw new Error("The database is away");
    const numbers = Array.from({ length: count }, (_, number) => number).filter((number) => number > behind);
    const frames = numbers.map((number) => ({ number, text: `${number} `, type: "" }));
    return { behind, frames, last: numbers.at(-1) ?? behind, ended };
  };
  return { log, followers: new Followers(read, 4) };
}

/** What a follower receives until the end, pausing after each text. */
async function heard(frames: AsyncGenerator<string>, slowMs = 0): Promise<string> {
  let text = "";
  for await (const more of frames) {
    text += more;
    if (slowMs > 0) await wait(slowMs);
  }
  return text;
}

const all = (count: number, after = -1): string =>
  `${Array.from({ length: count }, (_, at) => (at > after ? `${at} ` : "")).join("")}data: [DONE]\n\n`;

test("every follower receives each event once and in order, whenever it started and however slowly it reads", async () => {
  const joining = fc.record({
    joinMs: fc.integer({ min: 0, max: 40 }),
    slowMs: fc.integer({ min: 0, max: 25 }),
    after: fc.integer({ min: -1, max: 5 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(joining, { minLength: 1, maxLength: 6 }),
      fc.array(fc.integer({ min: 0, max: 8 }), { minLength: 1, maxLength: 12 }),
      async (joined, pausesMs) => {
        const { log, followers } = response();
        const reported = joined.map(async ({ joinMs, slowMs, after }) => {
          await wait(joinMs);
          return heard(followers.follow(row, after, never), slowMs);
        });
        for (const pauseMs of pausesMs) {
          await wait(pauseMs);
          log.count++;
        }
        log.ended = true;
        expect(await Promise.all(reported)).toEqual(joined.map(({ after }) => all(log.count, after)));
      },
    ),
    { numRuns: 30 },
  );
});

test("ten waiting followers cost as many reads as one, and none once they have left", async () => {
  const { log, followers } = response();
  const leaving = new AbortController();
  const reported = Array.from({ length: 10 }, () => heard(followers.follow(row, -1, leaving.signal)));
  await until(() => expect(log.reads).toBeGreaterThan(20));
  const polls = log.reads;
  await wait(100);
  expect(log.reads - polls).toBeLessThan(30);
  leaving.abort();
  expect(await Promise.all(reported)).toEqual(Array(10).fill(""));
  await wait(20);
  const left = log.reads;
  await wait(50);
  expect(log.reads).toBe(left);
});

test("a failed read ends the waiting followers, and the next one reads again", async () => {
  const { log, followers } = response();
  const first = followers.follow(row, -1, never);
  log.count = 1;
  expect((await first.next()).value).toBe("0 ");
  const failing = Promise.all([first.next(), followers.follow(row, 0, never).next()]);
  log.isAway = true;
  await expect(failing).rejects.toThrow("away");
  log.isAway = false;
  log.count = 2;
  log.ended = true;
  expect(await heard(followers.follow(row, -1, never))).toBe(all(2));
});
