import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { isRequirement } from "#contract/parameter-classes.ts";
import { repository } from "../architecture/source-files.ts";
import { compatibilityDocument } from "./compatibility.ts";
import { faults } from "./outcome.ts";
import { type Cell, runMatrix, tested } from "./run.ts";
import { shippedColumns } from "./shipped-columns.ts";

test.each(Object.entries(tested))(
  "%s: every field of the request has a sample, and no others",
  (_, operation) => {
    expect(Object.keys(operation.samples).toSorted()).toEqual(Object.keys(operation.shape).toSorted());
  },
);

describe("every field of every operation at every provider", () => {
  let cells: readonly Cell[] = [];
  beforeAll(async () => {
    cells = await runMatrix();
  }, 300_000);
  test("is sent, translated, clamped, dropped with a report or refused by its name", () => {
    const details = cells
      .filter(({ outcome }) => faults.has(outcome))
      .map(
        (cell) => [`${cell.operation} ${cell.field}, ${cell.outcome}: ${cell.target}`, cell.detail] as const,
      );
    expect(details).toEqual([]);
  });

  test("is never dropped where the answer, its price or the place of data depends on it", () => {
    // Both of Anthropic's tiers are what other providers do without a tier.
    const ordinary = new Set(["messages service_tier"]);
    const dropped = cells
      .filter(({ field, outcome }) => outcome === "dropped" && isRequirement(field.replace(/ \(.*\)$/, "")))
      .map(({ operation, field }) => `${operation} ${field}`)
      .filter((name) => !ordinary.has(name));
    expect([...new Set(dropped)]).toEqual([]);
  });

  test("stays with Portolan where it is about routing", () => {
    const routing = cells.filter(({ field }) => field.startsWith("provider."));
    expect(routing.length).toBeGreaterThan(0);
    expect(routing.filter(({ outcome }) => outcome !== "translated")).toEqual([]);
  });

  test("has a column for every shipped provider, but for servers of vectors alone", () => {
    const without = shippedColumns.filter(({ titles }) => titles.length === 0);
    expect(without.map(({ slug }) => slug)).toEqual(["tei"]);
  });

  test("docs/compatibility.md is what npm run generate writes", () => {
    for (const [path, text] of Object.entries(compatibilityDocument(cells)))
      expect(readFileSync(join(repository, path), "utf8")).toBe(text);
  });
});
