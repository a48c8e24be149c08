import fc from "fast-check";
import { expect, test } from "vitest";
import { InstanceWatch } from "./instance-watch.ts";

const deadAfterMs = 35_000;
const gapMaxMs = 25_000;
const everyMs = 10_000;
const open = () => new InstanceWatch({ deadAfterMs, gapMaxMs });

test("a process whose heartbeat has stopped is dead after the timeout, within a minute", () => {
  const watch = open();
  let foundAtMs = 0;
  for (let nowMs = 0; foundAtMs === 0; nowMs += everyMs)
    if (watch.look([{ instanceId: "a", beat: "1" }], nowMs).length > 0) foundAtMs = nowMs;
  expect(foundAtMs).toBeGreaterThanOrEqual(deadAfterMs);
  expect(foundAtMs + everyMs).toBeLessThan(60_000);
});

test("a process with regular heartbeats is never dead, whenever it is checked", () => {
  const life = fc.array(fc.record({ waitMs: fc.nat({ max: gapMaxMs }), beats: fc.boolean() }), {
    maxLength: 200,
  });
  fc.assert(
    fc.property(life, (looks) => {
      const watch = open();
      let nowMs = 0;
      let beat = 0;
      let beatAtMs = 0;
      for (const { waitMs, beats } of looks) {
        nowMs += waitMs;
        if (beats || nowMs - beatAtMs >= deadAfterMs - gapMaxMs) {
          beat++;
          beatAtMs = nowMs;
        }
        expect(watch.look([{ instanceId: "a", beat: String(beat) }], nowMs)).toEqual([]);
      }
    }),
  );
});

test("after a gap without checks, every process gets the complete timeout again", () => {
  const watch = open();
  const still = [{ instanceId: "a", beat: "1" }];
  for (let nowMs = 0; nowMs <= 30_000; nowMs += everyMs) expect(watch.look(still, nowMs)).toEqual([]);
  // The database was unavailable for a quarter of an hour: nobody could write heartbeats.
  const backMs = 900_000;
  for (let nowMs = backMs; nowMs < backMs + deadAfterMs; nowMs += everyMs)
    expect(watch.look(still, nowMs)).toEqual([]);
  expect(watch.look(still, backMs + 40_000)).toEqual(still);
});
