import { expect, test } from "vitest";
import { faults } from "#server/sandbox/faults.ts";
import { faultRows } from "./fault-table.ts";
import { waits, walkFaults } from "./fault-walk.ts";

test("the table has every fault of the sandbox, streamed and complete, once", () => {
  const ways = faultRows
    .filter(({ fault }) => !fault.includes(":"))
    .flatMap(({ fault, answer }) =>
      (answer === "all" ? ["complete", "streamed"] : [answer]).map((way) => `${fault} ${way}`),
    );
  const expected = Object.keys(faults).flatMap((fault) => [`${fault} complete`, `${fault} streamed`]);
  expect(ways.toSorted()).toEqual(expected.toSorted());
});

// Those that take time are in waiting-faults.db.test.ts.
await walkFaults(faultRows.filter((row) => !waits(row)));
