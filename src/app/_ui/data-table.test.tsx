import { screen, within } from "@testing-library/react";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { renderConsole } from "#test/console/render.tsx";
import { Refusal } from "#test/console/server.ts";
import { type Column, DataTable } from "./data-table.tsx";

interface Ship {
  readonly id: string;
  readonly name: string;
  readonly masts: number | null;
}

const columns: readonly Column<Ship>[] = [
  {
    id: "name",
    header: "Name",
    cell: ({ name }) => name,
    compare: (a, b) => a.name.localeCompare(b.name, "en"),
  },
  {
    id: "masts",
    header: "Masts",
    cell: ({ masts }) => masts ?? "unknown",
    compare: (a, b) => (a.masts ?? 0) - (b.masts ?? 0),
    lacks: ({ masts }) => masts === null,
  },
  { id: "flag", header: "Flag", cell: ({ name }) => <button type="button">Flag of {name}</button> },
];

const ship = (name: string, masts: number | null = 1): Ship => ({ id: name, name, masts });
const fleet = (count: number) => Array.from({ length: count }, (_, at) => ship(`ship ${at}`));

type Props = Partial<Parameters<typeof DataTable<Ship>>[0]>;
const table = (props: Props) => (
  <DataTable
    label="Ships"
    columns={columns}
    rows={[]}
    rowId={({ id }) => id}
    empty="No ships yet"
    {...props}
  />
);
const bodyRows = () =>
  within(screen.getByRole("table", { name: "Ships" }))
    .getAllByRole("row")
    .slice(1);
const names = () => bodyRows().map((row) => row.querySelector("td")?.textContent);

describe("what a list shows", () => {
  test("while it is loading it is busy, not empty", () => {
    renderConsole(table({ rows: undefined, skeletonRows: 3 }));
    expect(screen.getByRole("region", { name: "Ships" }).getAttribute("aria-busy")).toBe("true");
    expect(bodyRows()).toHaveLength(3);
    expect(screen.queryByText("No ships yet")).toBeNull();
  });

  test("without rows, its empty state", () => {
    renderConsole(table({ rows: [] }));
    expect(screen.getByText("No ships yet")).toBeTruthy();
    expect(screen.queryByRole("table")).toBeNull();
  });

  test("without rows that match the filters, a button that clears them", async () => {
    const onClearFilters = vi.fn();
    const { user } = renderConsole(table({ rows: [], onClearFilters }));
    expect(screen.queryByText("No ships yet")).toBeNull();
    await user.click(screen.getByRole("button"));
    expect(onClearFilters).toHaveBeenCalledOnce();
  });

  test("when it could not be loaded, the error and a retry, even if older rows are there", async () => {
    const onRetry = vi.fn();
    const error = new Refusal("INTERNAL_ERROR", "x");
    const { user } = renderConsole(table({ rows: [ship("Argo")], error, onRetry }));
    expect(screen.getByRole("alert")).toBeTruthy();
    expect(screen.queryByText("Argo")).toBeNull();
    await user.click(screen.getByRole("button", { name: "Try again" }));
    expect(onRetry).toHaveBeenCalledOnce();
  });
});

describe("pages", () => {
  test.each([0, 1, 99, 100])("there is one page of %d rows", (count) => {
    renderConsole(table({ rows: fleet(count) }));
    expect(screen.queryByRole("button", { name: "Next" })).toBeNull();
  });

  test("every row is on exactly one page, in its order", async () => {
    const { user } = renderConsole(table({ rows: fleet(250) }));
    const seen = [...names()];
    while (!screen.getByRole("button", { name: "Next" }).hasAttribute("disabled")) {
      await user.click(screen.getByRole("button", { name: "Next" }));
      seen.push(...names());
    }
    expect(seen).toEqual(fleet(250).map(({ name }) => name));
    expect(screen.getByRole("status").textContent).toContain("201 to 250 of 250");
    await user.click(screen.getByRole("button", { name: "Previous" }));
    expect(screen.getByRole("status").textContent).toContain("101 to 200 of 250");
  });
});

describe("sorting", () => {
  const shipOf = fc.record({ masts: fc.option(fc.integer({ min: 1, max: 9 }), { nil: null }) });

  test("rows without a value are last in both directions, and no row is lost", () => {
    fc.assert(
      fc.property(
        fc.array(shipOf, { minLength: 1, maxLength: 8 }),
        fc.constantFrom("masts", "-masts"),
        (fleet, sort) => {
          const rows = fleet.map(({ masts }, at) => ship(`s${at}`, masts));
          const { unmount } = renderConsole(table({ rows, sort }));
          const shown = bodyRows().map((row) => row.querySelectorAll("td")[1]?.textContent ?? "");
          unmount();
          const known = rows
            .flatMap(({ masts }) => masts ?? [])
            .toSorted((a, b) => (sort === "masts" ? a - b : b - a));
          const unknown = rows.length - known.length;
          expect(shown).toEqual([...known.map(String), ...Array<string>(unknown).fill("unknown")]);
        },
      ),
      { numRuns: 20 },
    );
  });

  test.each([
    [null, "none", "name"],
    ["name", "ascending", "-name"],
    ["-name", "descending", "name"],
  ])("sorted by %s the column is %s, and a click asks for %s", async (sort, state, asked) => {
    const onSort = vi.fn();
    const { user } = renderConsole(table({ rows: [ship("B"), ship("A")], sort, onSort }));
    const header = screen.getByRole("columnheader", { name: /Name/ });
    expect(header.getAttribute("aria-sort")).toBe(state);
    await user.click(within(header).getByRole("button"));
    expect(onSort).toHaveBeenCalledExactlyOnceWith(asked);
  });

  test("a column without a comparison cannot be sorted", () => {
    renderConsole(table({ rows: [ship("A")], onSort: () => {} }));
    expect(within(screen.getByRole("columnheader", { name: "Flag" })).queryByRole("button")).toBeNull();
  });
});

describe("opening a row", () => {
  test("by its first cell or anywhere in it, but not by a control inside", async () => {
    const onOpen = vi.fn();
    const { user } = renderConsole(table({ rows: [ship("Argo", 2)], onOpen }));
    await user.click(screen.getByRole("button", { name: "Argo" }));
    await user.click(screen.getByText("2"));
    expect(onOpen).toHaveBeenCalledTimes(2);
    expect(onOpen).toHaveBeenLastCalledWith(ship("Argo", 2));
    await user.click(screen.getByRole("button", { name: "Flag of Argo" }));
    expect(onOpen).toHaveBeenCalledTimes(2);
  });

  test("a list that opens nothing has no buttons that would", () => {
    renderConsole(table({ rows: [ship("Argo")] }));
    expect(screen.queryByRole("button", { name: "Argo" })).toBeNull();
  });
});
