import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { layoutFlows, type PlacedNode } from "#app/_ui/flows/flow-layout.ts";
import type { RequestFlows } from "#contract/request-flows.ts";
import { countOf, flowColumns, flowGraph } from "./flow-nodes.ts";

const named = (prefix: string, max: number) =>
  fc
    .integer({ min: 1, max })
    .map((at) => ({ id: `${prefix}${at}`, name: at % 5 === 0 ? null : `${prefix} ${at}` }));
const count = fc.integer({ min: 0, max: 2_000 });
const flow = fc.record({
  key: named("key", 15),
  rules: fc.option(fc.uniqueArray(named("rule", 4), { maxLength: 2, selector: ({ id }) => id })),
  country: fc.option(fc.constantFrom("DE", "FR", "US", "EU")),
  provider: fc.option(fc.constantFrom("alpha", "beta", "gamma")),
  completed: count,
  failed: count,
  stopped: count,
});
const excluded = fc.record({
  provider: fc.constantFrom("alpha", "omega", "psi"),
  country: fc.option(fc.constantFrom("DE", "JP")),
  reason: fc.constantFrom("data_region", "retention"),
  rule: fc.option(named("rule", 6)),
  scope: fc.constantFrom("request", "installation"),
  requests: fc.integer({ min: 1, max: 100 }),
});
const report: fc.Arbitrary<RequestFlows> = fc.record({
  from: fc.constant("2026-11-01T00:00:00.000Z"),
  counted_from: fc.constant(null),
  flows: fc.array(flow, { minLength: 1, maxLength: 60 }),
  excluded: fc.array(excluded, { maxLength: 6 }),
});

const height = 300;
const inColumn = (nodes: readonly PlacedNode[], at: number) => nodes.filter(({ column }) => column === at);

describe("the diagram", () => {
  test("has every request once in each column, and at most eight nodes that are not excluded", () => {
    fc.assert(
      fc.property(report, (given) => {
        const { nodes, links } = flowGraph(given);
        const total = given.flows.reduce((sum, one) => sum + countOf(one), 0);
        for (const at of flowColumns.keys()) {
          const column = nodes.filter((node) => node.column === at && !node.isExcluded);
          expect(column.reduce((sum, { value }) => sum + value, 0)).toBe(total);
          expect(column.length).toBeLessThanOrEqual(8);
        }
        const drawn = links.filter(({ outcome }) => outcome !== "excluded");
        expect(drawn.reduce((sum, { value }) => sum + value, 0)).toBe(total * (flowColumns.length - 1));
        const ids = new Set(nodes.map(({ id }) => id));
        expect(ids.size).toBe(nodes.length);
        for (const { from, to } of links) expect(ids.has(from) && ids.has(to)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test("shows as excluded only providers that served nothing, each with its reason", () => {
    fc.assert(
      fc.property(report, (given) => {
        const { nodes, links } = flowGraph(given);
        const served = new Set(given.flows.map(({ provider }) => provider));
        const expected = new Set(
          given.excluded.map(({ provider }) => provider).filter((one) => !served.has(one)),
        );
        const shown = nodes.filter(({ column, isExcluded }) => column === 3 && isExcluded);
        expect(new Set(shown.map(({ label }) => label.split(":")[0]))).toEqual(expected);
        for (const { id } of shown)
          expect(links.some(({ to, outcome }) => to === id && outcome === "excluded")).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test("has no node over another one or outside, and bands as wide as their share", () => {
    fc.assert(
      fc.property(report, (given) => {
        const graph = flowGraph(given);
        const { nodes, links } = layoutFlows(graph, flowColumns.length, height);
        expect(links).toHaveLength(graph.links.length);
        for (const at of flowColumns.keys()) {
          const column = inColumn(nodes, at);
          for (const [place, node] of column.entries()) {
            const next = column[place + 1];
            if (next) expect(node.y + node.height).toBeLessThan(next.y);
          }
          // Nodes with hardly any requests have a least height, so a column can be a little longer.
          const last = column.at(-1);
          expect((last?.y ?? 0) + (last?.height ?? 0)).toBeLessThanOrEqual(height + 2 * column.length);
        }
        for (const node of nodes.filter(({ column, value }) => column > 0 && value > 0)) {
          const into = links.filter(({ to, outcome }) => to === node.id && outcome !== "excluded");
          const width = into.reduce((sum, link) => sum + link.width, 0);
          // A node with hardly any requests is higher than its bands.
          if (node.height > 2) expect(width).toBeGreaterThanOrEqual(node.height - 0.01);
          expect(width).toBeLessThanOrEqual(node.height + 0.5 * into.length);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
