import { screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { idOf, rowOf, showLogs } from "#test/console/logs.tsx";
import { atNoon } from "#test/console/time.ts";

atNoon();

const title = (at: number) => screen.findByRole("dialog", { name: `model of ${at}` });

test("the sheet opens by its row, stands in the URL, and closes with Escape", async () => {
  const { user, query } = showLogs();
  await user.click(await rowOf("m/2"));
  await title(2);
  expect(query().get("open")).toBe(idOf(2));
  await user.keyboard("{Escape}");
  await waitFor(() => expect(query().has("open")).toBe(false));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});

test.each([
  ["a generation ID", idOf(2)],
  ["an ID with a prefix", `gen-${idOf(2)}`],
  ["a response ID", `resp_${idOf(2).replaceAll("-", "")}0123456789abcdef`],
])("the sheet opens by a link with %s", async (_what, open) => {
  const { server } = showLogs({}, `?open=${open}`);
  await title(2);
  expect(server.inputsOf("generations.get")).toEqual([{ id: idOf(2) }]);
});

test("the sheet walks over the rows by button and by key, on the tab that is open", async () => {
  const { user, query } = showLogs({}, `?open=${idOf(1)}`);
  await title(1);
  await user.click(await screen.findByRole("tab", { name: "Cost" }));
  expect(screen.getByText("1 of 3")).toBeDefined();
  await user.click(screen.getByRole("button", { name: "Next row" }));
  await title(2);
  await user.keyboard("j");
  await title(3);
  expect(query().get("open")).toBe(idOf(3));
  expect((await screen.findByRole("tab", { name: "Cost" })).getAttribute("aria-selected")).toBe("true");
  await user.keyboard("j");
  expect(query().get("open")).toBe(idOf(3));
  await user.keyboard("k");
  await title(2);
});

test("the sheet of a request that is not on the page has nothing to walk over", async () => {
  showLogs({}, `?open=${idOf(7)}`);
  await title(7);
  expect(screen.queryByRole("button", { name: "Next row" })).toBeNull();
});
