import { fireEvent, screen, within } from "@testing-library/react";
import type { ReactNode } from "react";
import { describe, expect, test, vi } from "vitest";
import { renderConsole } from "#test/console/render.tsx";
import { DataTable } from "./data-table.tsx";
import { Dialog } from "./dialog.tsx";
import { RowSteps } from "./row-steps.tsx";
import { Shortcuts } from "./shortcuts.tsx";

const names = ["Argo", "Beagle", "Calypso"];
const columns = [{ id: "name", header: "Name", cell: (name: string) => name }];

const page = (more: ReactNode = null) =>
  renderConsole(
    <main>
      <Shortcuts />
      <input aria-label="Find ships" data-search />
      <input aria-label="Count" type="checkbox" />
      <textarea aria-label="Note" />
      <DataTable
        label="Ships"
        columns={columns}
        rows={names}
        rowId={(name) => name}
        onOpen={() => {}}
        empty="None"
      />
      {more}
    </main>,
  );
const press = (key: string, more: KeyboardEventInit = {}, on: Element = document.body) =>
  fireEvent.keyDown(on, { key, ...more });
const focused = () => document.activeElement?.textContent;
const list = () => screen.queryByRole("dialog", { name: "Keyboard shortcuts" });

describe("the keys of every screen", () => {
  test("j and k walk over the rows, and stop at the ends", () => {
    page();
    press("j");
    expect(focused()).toBe("Argo");
    press("j");
    press("j");
    press("j");
    expect(focused()).toBe("Calypso");
    press("k");
    expect(focused()).toBe("Beagle");
    press("k");
    press("k");
    expect(focused()).toBe("Argo");
  });

  test("k begins with the last row", () => {
    page();
    press("k");
    expect(focused()).toBe("Calypso");
  });

  test("/ goes to the search field, and is not typed into it", () => {
    page();
    expect(press("/")).toBe(false);
    expect(document.activeElement).toBe(screen.getByLabelText("Find ships"));
  });

  test("? lists them, and Escape closes the list", async () => {
    const { user } = page();
    press("?");
    const dialog = within(await screen.findByRole("dialog", { name: "Keyboard shortcuts" }));
    expect(dialog.getAllByRole("row").length).toBeGreaterThan(4);
    expect(dialog.getByRole("row", { name: /Search on this screen/ }).textContent).toContain("/");
    await user.keyboard("{Escape}");
    expect(list()).toBeNull();
  });

  test.each(["Find ships", "Note"])("are typed where text goes: %s", (field) => {
    page();
    screen.getByLabelText(field).focus();
    press("j", {}, screen.getByLabelText(field));
    press("?", {}, screen.getByLabelText(field));
    expect(document.activeElement).toBe(screen.getByLabelText(field));
    expect(list()).toBeNull();
  });

  test("work on a control that takes no text", () => {
    page();
    press("j", {}, screen.getByLabelText("Count"));
    expect(focused()).toBe("Argo");
  });

  test.each(["ctrlKey", "metaKey", "altKey"])("with %s belong to the browser", (modifier) => {
    page();
    press("j", { [modifier]: true });
    expect(document.activeElement).toBe(document.body);
  });

  test("do nothing under a dialog", async () => {
    page(
      <Dialog title="Editor" onClose={() => {}}>
        Text
      </Dialog>,
    );
    await screen.findByRole("dialog", { name: "Editor" });
    const before = document.activeElement;
    press("j");
    press("/");
    expect(document.activeElement).toBe(before);
  });
});

describe("steps through the rows while one is open", () => {
  const steps = (openId: string, ids: readonly string[] = names) => {
    const onOpen = vi.fn();
    return { onOpen, ...renderConsole(<RowSteps ids={ids} openId={openId} onOpen={onOpen} />) };
  };
  const button = (name: string) => screen.getByRole("button", { name });

  test("say which row it is, and open its neighbours by button or key", async () => {
    const { user, onOpen } = steps("Beagle");
    expect(screen.getByRole("status").textContent).toBe("2 of 3");
    await user.click(button("Next row"));
    await user.click(button("Previous row"));
    press("j", { code: "KeyJ" }, document.documentElement);
    press("k", { code: "KeyK" }, document.documentElement);
    expect(onOpen.mock.calls).toEqual([["Calypso"], ["Argo"], ["Calypso"], ["Argo"]]);
  });

  test.each([
    ["Argo", "Previous row"],
    ["Calypso", "Next row"],
  ])("end at %s, where the button keeps the focus", async (openId, name) => {
    const { user, onOpen } = steps(openId);
    expect(button(name).getAttribute("aria-disabled")).toBe("true");
    await user.click(button(name));
    expect(onOpen).not.toHaveBeenCalled();
    expect(document.activeElement).toBe(button(name));
  });

  test.each([
    ["the only row", "Argo", ["Argo"]],
    ["a row that is not in the table", "Dunbrody", names],
  ])("are absent for %s", (_case, openId, ids) => {
    steps(openId, ids);
    expect(screen.queryByRole("button")).toBeNull();
  });
});
