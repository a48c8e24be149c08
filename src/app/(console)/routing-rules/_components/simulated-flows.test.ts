import fc from "fast-check";
import { expect, test } from "vitest";
import { simulatedColumns, simulatedGraph } from "./simulated-flows.ts";

const stop = fc.option(
  fc.record({ provider: fc.constantFrom("a", "b", "c"), place: fc.constantFrom("DE", "DE+FR", "unknown") }),
  { nil: null },
);
const flows = fc.array(fc.record({ before: stop, after: stop, count: fc.integer({ min: 1, max: 500 }) }), {
  minLength: 1,
  maxLength: 40,
});

test("the diagram has every request once in each column, and its outcome on every band", () => {
  fc.assert(
    fc.property(flows, (given) => {
      const { nodes, links } = simulatedGraph(given);
      const total = given.reduce((sum, { count }) => sum + count, 0);
      for (const at of simulatedColumns.keys())
        expect(nodes.filter(({ column }) => column === at).reduce((sum, { value }) => sum + value, 0)).toBe(
          total,
        );
      const sumOf = (outcome: string) =>
        links.filter((link) => link.outcome === outcome).reduce((sum, { value }) => sum + value, 0);
      const refused = given.filter(({ after }) => !after).reduce((sum, { count }) => sum + count, 0);
      expect(sumOf("refused")).toBe(refused * (simulatedColumns.length - 1));
      const same = given
        .filter(({ before, after }) => after && JSON.stringify(before) === JSON.stringify(after))
        .reduce((sum, { count }) => sum + count, 0);
      expect(sumOf("unchanged")).toBe(same * (simulatedColumns.length - 1));
    }),
  );
});

test("places are countries in words, and what no provider serves is refused", () => {
  const { nodes } = simulatedGraph([{ before: { provider: "a", place: "DE+FR" }, after: null, count: 3 }]);
  expect(nodes.map(({ label }) => label)).toEqual(["a · Germany + France", "Refused"]);
});
