import { expect, test } from "vitest";
import { uuidv7 } from "#server/platform/ids.ts";
import { buildCatalogue } from "./build.ts";
import { laidOver } from "./catalogues.ts";
import type { EntryRow } from "./overlay.ts";

const base = buildCatalogue(
  [
    {
      file: "base.json",
      content: {
        ...{ schema: "portolan-catalogue/1", as_of: "2026-11-01", sources: {} },
        exchange_rates: [{ pair: "EUR/USD", rate: "1.1", date: "2026-11-01", source: "test" }],
        ...{ providers: [], models: [], endpoints: [] },
      },
    },
  ],
  {},
);
const orgId = uuidv7();

const ownModel = (id: string, count: number, alias = (at: number) => `${id}-${at}`): EntryRow => ({
  ...{ id: uuidv7(), section: "model", name: id, enabled: true, source: null, asOf: null },
  body: { id, aliases: Array.from({ length: count }, (_, at) => alias(at)) },
});
const problemsOf = (rows: readonly EntryRow[]) => {
  const { problems } = laidOver(base, { scope: "organisation", orgId, version: "1", rows });
  return rows.map(({ id }) => problems.get(id));
};

test("an alias that an own model has is refused for another one", () => {
  const rows = ["own/a", "own/b"].map((id) => ownModel(id, 1, () => "mine"));
  expect(problemsOf(rows)).toEqual([undefined, 'aliases: "mine" already names own/a']);
});

test("a model has 20 aliases at most", () => {
  expect(problemsOf([ownModel("own/a", 20), ownModel("own/b", 21)])).toEqual([
    undefined,
    expect.stringContaining("20"),
  ]);
});

test("aliases are checked in a time that grows with their number, not with its square", () => {
  const msFor = (count: number) => {
    const rows = Array.from({ length: count }, (_, at) => ownModel(`own/${at}`, 20));
    const since = performance.now();
    problemsOf(rows);
    return performance.now() - since;
  };
  msFor(200);
  // The shortest of several runs, because others use the machine as well.
  const shortest = (count: number) => Math.min(...Array.from({ length: 5 }, () => msFor(count)));
  // Linear it is 16 times as long, quadratic 256 times.
  expect(shortest(1_600) / shortest(100)).toBeLessThan(64);
});
