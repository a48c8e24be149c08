import { screen, waitFor } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { useFilters } from "#app/_lib/use-filters.ts";
import { renderConsole } from "#test/console/render.tsx";
import { FilterBar } from "./filter-bar.tsx";

const fields = [
  { name: "find", label: "Search", search: true, suggestions: ["alpha", "beta"] },
  {
    name: "state",
    label: "State",
    options: [
      { value: "on", label: "Enabled" },
      { value: "off", label: "Disabled" },
    ],
  },
] as const;

function Bar() {
  const filters = useFilters(["find", "state"], ["page"]);
  return (
    <>
      <FilterBar fields={fields} filters={filters} />
      <output>{JSON.stringify(filters.values)}</output>
      <p>{filters.active} active</p>
    </>
  );
}
const values = (): unknown => JSON.parse(screen.getByRole("status").textContent ?? "");

describe("the filters of a screen", () => {
  test("are read from the URL; an empty one does not filter", () => {
    renderConsole(<Bar />, { search: "?find=abc&state=" });
    expect(values()).toEqual({ find: "abc", state: null });
    expect(screen.getByText("1 active")).toBeTruthy();
    expect(screen.getByLabelText<HTMLInputElement>("Search").value).toBe("abc");
  });

  test("suggest values for a text, which may be another one too", async () => {
    const { user } = renderConsole(<Bar />);
    const field = screen.getByLabelText<HTMLInputElement>("Search");
    expect([...(field.list?.options ?? [])].map(({ value }) => value)).toEqual(["alpha", "beta"]);
    await user.type(field, "gamma");
    await waitFor(() => expect(values()).toEqual({ find: "gamma", state: null }));
  });

  test("are written to the URL, and go back to the first page", async () => {
    const { user, query } = renderConsole(<Bar />, { search: "?page=3&other=1" });
    await user.selectOptions(screen.getByLabelText("State"), "off");
    await waitFor(() => expect(query().get("state")).toBe("off"));
    expect(query().get("page")).toBeNull();
    expect(query().get("other")).toBe("1");
    await user.click(screen.getByLabelText("Search"));
    await user.paste("a b&c");
    await waitFor(() => expect(query().get("find")).toBe("a b&c"));
    expect(values()).toEqual({ find: "a b&c", state: "off" });
  });

  test("an empty one is removed from the URL", async () => {
    const { user, query } = renderConsole(<Bar />, { search: "?find=abc" });
    await user.clear(screen.getByLabelText("Search"));
    await waitFor(() => expect(query().has("find")).toBe(false));
  });

  test("are removed one by one, with the page; the bar has the focus afterwards", async () => {
    const { user, query } = renderConsole(<Bar />, { search: "?find=abc&state=on&page=2&other=1" });
    await user.click(screen.getByRole("button", { name: "Remove filter State" }));
    await waitFor(() => expect([...query().keys()]).toEqual(["find", "other"]));
    expect(screen.queryByRole("button", { name: "Remove filter State" })).toBeNull();
    expect(document.activeElement).toBe(screen.getByRole("search"));
    await user.click(screen.getByRole("button", { name: "Remove filter Search" }));
    await waitFor(() => expect(values()).toEqual({ find: null, state: null }));
  });

  test("are all cleared at once, with the page; without any there is no button", async () => {
    const { user, query } = renderConsole(<Bar />, { search: "?find=abc&state=on&page=2&other=1" });
    await user.click(screen.getByRole("button", { name: "Clear" }));
    await waitFor(() => expect([...query().keys()]).toEqual(["other"]));
    expect(screen.queryByRole("button")).toBeNull();
  });
});
