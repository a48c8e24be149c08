import fc from "fast-check";
import { expect, test } from "vitest";
import { FairGate, type Place } from "./fair-gate.ts";

const limits = { slots: 4, slotsPerHolder: 2, waitingMax: 50, waitingMaxPerHolder: 10 };

/** Enters and records when the place was granted. */
function visitor(gate: FairGate, name: string, log: string[]) {
  const place = gate.enter(name);
  void place?.granted.then(() => log.push(name));
  return place;
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test("a single holder never gets all places", async () => {
  const gate = new FairGate(limits);
  const log: string[] = [];
  for (let at = 0; at < 6; at++) visitor(gate, "busy", log);
  visitor(gate, "other", log);
  await turn();
  expect(log).toEqual(["busy", "busy", "other"]);
});

test("holders take turns however many requests of one wait, in order for each holder", async () => {
  const gate = new FairGate({ ...limits, slots: 1, slotsPerHolder: 1 });
  const log: string[] = [];
  const names = ["a1", "a2", "a3", "a4", "b1", "b2", "c1"];
  const places = names.map((name) => {
    const place = gate.enter(name.slice(0, 1));
    void place?.granted.then(() => log.push(name));
    return place;
  });
  for (let at = 0; at < names.length; at++) {
    await turn();
    places[names.indexOf(log.at(-1) ?? "")]?.leave();
  }
  expect(log).toEqual(["a1", "b1", "c1", "a2", "b2", "a3", "a4"]);
});

test("giving up frees a place in the queue, and leaving twice frees only one", async () => {
  const gate = new FairGate({ ...limits, slots: 1, slotsPerHolder: 1, waitingMaxPerHolder: 1 });
  const log: string[] = [];
  const first = visitor(gate, "a", log);
  const second = visitor(gate, "a", log);
  expect(gate.enter("a")).toBeNull();
  second?.leave();
  const third = visitor(gate, "a", log);
  first?.leave();
  first?.leave();
  await turn();
  expect(log).toEqual(["a", "a"]);
  expect(gate.enter("b")).not.toBeNull();
  third?.leave();
});

test("the queue is bounded, for each holder and in total", () => {
  const gate = new FairGate(limits);
  const enter = (name: string) => gate.enter(name);
  for (let at = 0; at < 12; at++) expect(enter("a")).not.toBeNull();
  expect(enter("a")).toBeNull();
  for (const name of ["b", "c", "d", "e"]) for (let at = 0; at < 10; at++) enter(name);
  // Four have a place, 48 wait.
  expect([enter("f"), enter("f")]).not.toContain(null);
  expect(enter("f")).toBeNull();
});

test("in random sequences the limits hold in total and per holder, and every request is served", async () => {
  const step = fc.oneof(
    fc.record({ enter: fc.constantFrom("a", "b", "c") }),
    fc.record({ leave: fc.nat({ max: 40 }) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps) => {
      const gate = new FairGate(limits);
      const present: { name: string; place: Place; granted: boolean }[] = [];
      const check = async () => {
        await turn();
        const running = present.filter(({ granted }) => granted);
        expect(running.length).toBeLessThanOrEqual(limits.slots);
        for (const name of ["a", "b", "c"]) {
          const own = present.filter((one) => one.name === name);
          const served = own.filter(({ granted }) => granted).length;
          expect(served).toBeLessThanOrEqual(limits.slotsPerHolder);
          const mayMore = running.length < limits.slots && served < limits.slotsPerHolder;
          if (mayMore) expect(served).toBe(own.length);
        }
      };
      for (const action of steps) {
        if ("enter" in action) {
          const place = gate.enter(action.enter);
          if (!place) continue;
          const one = { name: action.enter, place, granted: false };
          void place.granted.then(() => {
            one.granted = true;
          });
          present.push(one);
        } else present.splice(action.leave, 1)[0]?.place.leave();
        await check();
      }
    }),
    { numRuns: 100 },
  );
});
