import { act, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderConsole } from "#test/console/render.tsx";
import { type Filters, useFilters } from "./use-filters.ts";

type Name = "find" | "state";

function Page({ onFilters }: { onFilters: (filters: Filters<Name>) => void }) {
  const filters = useFilters(["find", "state"], ["page"]);
  onFilters(filters);
  return <p>{JSON.stringify(filters.values)}</p>;
}

/** The filters of a URL, and a way to change them. */
function filtersOf(search: string) {
  const seen: Filters<Name>[] = [];
  const { query } = renderConsole(<Page onFilters={(filters) => void seen.push(filters)} />, { search });
  const last = () => {
    const filters = seen.at(-1);
    if (!filters) throw new Error("nothing was drawn");
    return filters;
  };
  const change = async (by: (filters: Filters<Name>) => void) => {
    await act(async () => {
      by(last());
      // The URL follows in a task of its own.
      await new Promise((resolve) => setTimeout(resolve, 100));
    });
    return Object.fromEntries(query());
  };
  return { last, change };
}

test.each([
  ["", { find: null, state: null }, 0],
  ["?find=a", { find: "a", state: null }, 1],
  ["?find=&state=", { find: null, state: null }, 0],
  ["?find=a&state=b&other=c&page=2", { find: "a", state: "b" }, 2],
])("the URL %s holds the values %j, of which %d narrow", (search, values, active) => {
  const { last } = filtersOf(search);
  expect(last()).toMatchObject({ values, active });
});

test("a value stands in the URL and leads back to the first page", async () => {
  const { change } = filtersOf("?page=3&other=c");
  expect(await change(({ set }) => set("find", "x & y"))).toEqual({ find: "x & y", other: "c" });
});

test("an empty value is no filter", async () => {
  const { change, last } = filtersOf("?find=a&state=b");
  expect(await change(({ set }) => set("find", ""))).toEqual({ state: "b" });
  expect(last().active).toBe(1);
});

test("clearing takes away the filters and the page, and nothing else", async () => {
  const { change } = filtersOf("?find=a&state=b&page=3&open=d");
  expect(await change(({ clear }) => clear())).toEqual({ open: "d" });
  expect(screen.getByText('{"find":null,"state":null}')).toBeDefined();
});
