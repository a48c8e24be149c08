import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test, vi } from "vitest";
import { ApiKey } from "#contract/key.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { completedSteps } from "#test/console/first-steps.ts";
import { fill, renderConsole } from "#test/console/render.tsx";
import { type Answers, Refusal } from "#test/console/server.ts";
import { KeySheet } from "./key-sheet.tsx";
import type { KeyState } from "./key-state.ts";

const key: ApiKey = {
  ...sampleOf(ApiKey, { gaps: "always" }),
  hash: "crawler00000",
  name: "Crawler",
  label: "ptl_…a1b2",
  disabled: false,
  permissions: ["inference:use"],
};
const active: KeyState = { tone: "good", label: "Active" };

interface Shown {
  readonly apiKey?: ApiKey;
  readonly state?: KeyState;
  readonly readOnly?: boolean;
  readonly keys?: NonNullable<Answers["keys"]>;
}
function show({ apiKey = key, state = active, readOnly = false, keys = {} }: Shown = {}) {
  const [setEnabled, onClose] = [vi.fn(), vi.fn()];
  const made = renderConsole(
    <KeySheet
      apiKey={apiKey}
      keys={[apiKey]}
      state={state}
      setEnabled={readOnly ? null : setEnabled}
      onClose={onClose}
    />,
    {
      answers: {
        keys,
        catalogue: { models: () => ({ data: [] }) },
        overview: { firstSteps: () => ({ ...completedSteps, example_model: "sandbox/echo" }) },
      },
    },
  );
  return { ...made, setEnabled, onClose };
}
const openTab = async (user: ReturnType<typeof show>["user"], name: string) =>
  await user.click(screen.getByRole("tab", { name }));

describe("the head of the sheet", () => {
  test("shows the prefix of the key and its status in words", () => {
    show({ state: { tone: "warning", label: "Limit reached: parent key Team" } });
    expect(screen.getByText("ptl_…a1b2")).toBeTruthy();
    expect(screen.getByText("Limit reached: parent key Team")).toBeTruthy();
  });

  test.each([
    [false, false],
    [true, true],
  ])("of a key that is disabled: %s, the switch asks for enabled: %s", async (disabled, enabled) => {
    const { user, setEnabled } = show({ apiKey: { ...key, disabled } });
    const toggle = screen.getByRole<HTMLInputElement>("switch", { name: "On" });
    expect(toggle.checked).toBe(!disabled);
    await user.click(toggle);
    expect(setEnabled).toHaveBeenCalledExactlyOnceWith({ ...key, disabled }, enabled);
  });

  test("offers nothing that changes the key to who may only see it", () => {
    show({ readOnly: true });
    expect(screen.getAllByRole("tab").map((tab) => tab.textContent)).toEqual(["Overview", "Code"]);
    expect(screen.queryByRole("switch")).toBeNull();
    expect(screen.queryByRole("button", { name: "Revoke" })).toBeNull();
  });
});

describe("editing", () => {
  test("shows the facts again once it is saved, and says so", async () => {
    const { user, server } = show({ keys: { update: () => ({ data: { ...key, name: "Spider" } }) } });
    await openTab(user, "Edit");
    await fill(user, await screen.findByLabelText("Name"), "Spider");
    await user.click(screen.getByRole("button", { name: "Save" }));
    expect(await screen.findByText("Spider is saved.")).toBeTruthy();
    expect(screen.getByRole("tab", { name: "Overview" }).getAttribute("aria-selected")).toBe("true");
    expect(server.inputsOf("keys.update")).toEqual([{ hash: key.hash, name: "Spider" }]);
  });

  test("keeps what was typed while another tab is looked at", async () => {
    const { user } = show();
    await openTab(user, "Edit");
    await fill(user, await screen.findByLabelText("Name"), "Spider");
    await openTab(user, "Code");
    await openTab(user, "Edit");
    expect(screen.getByLabelText<HTMLInputElement>("Name").value).toBe("Spider");
  });

  test("that was refused stays open with what was typed and the server's reason", async () => {
    const { user } = show({
      keys: {
        update: () => {
          throw new Refusal("BAD_REQUEST", "limit: exceeds the limit of the workspace");
        },
      },
    });
    await openTab(user, "Edit");
    await fill(user, await screen.findByLabelText(/Spending limit/), "900");
    await user.click(screen.getByRole("button", { name: "Save" }));
    expect((await screen.findByRole("alert")).textContent).toContain("exceeds the limit of the workspace");
    expect(screen.getByLabelText<HTMLInputElement>(/Spending limit/).value).toBe("900");
    expect(screen.getByRole("tab", { name: "Edit" }).getAttribute("aria-selected")).toBe("true");
  });

  test("offers permissions the person has, and those the key has already", async () => {
    const { user, server } = show({
      apiKey: { ...key, permissions: ["inference:use", "organisations:write"] },
      keys: { update: () => ({ data: key }) },
    });
    await openTab(user, "Edit");
    const chosen = await screen.findByText("make, suspend and delete organisations");
    await user.click(within(chosen.parentElement ?? chosen).getByRole("button", { hidden: true }));
    await user.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() =>
      expect(server.inputsOf("keys.update")).toEqual([{ hash: key.hash, permissions: ["inference:use"] }]),
    );
  });
});

describe("revoking", () => {
  async function ask(keys: NonNullable<Answers["keys"]>) {
    const made = show({ keys });
    await made.user.click(screen.getByRole("button", { name: "Revoke" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Revoke Crawler" }));
    return { ...made, dialog, confirm: dialog.getByRole<HTMLButtonElement>("button", { name: "Revoke" }) };
  }

  test("is possible only with the name of the key", async () => {
    const { user, dialog, confirm, server } = await ask({
      remove: () => ({ data: { success: true }, deleted: true }),
    });
    expect(confirm.disabled).toBe(true);
    await fill(user, dialog.getByLabelText("Type Crawler to confirm"), "crawler");
    expect(confirm.disabled).toBe(true);
    await fill(user, dialog.getByLabelText("Type Crawler to confirm"), "Crawler");
    expect(confirm.disabled).toBe(false);
    expect(server.inputsOf("keys.remove")).toEqual([]);
  });

  test("closes the sheet of the key that is gone", async () => {
    const { user, dialog, confirm, server, onClose } = await ask({
      remove: () => ({ data: { success: true }, deleted: true }),
    });
    await fill(user, dialog.getByLabelText("Type Crawler to confirm"), "Crawler");
    await user.dblClick(confirm);
    await waitFor(() => expect(onClose).toHaveBeenCalled());
    expect(server.inputsOf("keys.remove")).toEqual([{ hash: key.hash }]);
  });

  test("that failed keeps the sheet open and says why", async () => {
    const { user, dialog, confirm, onClose } = await ask({
      remove: () => {
        throw new Refusal("SERVICE_UNAVAILABLE", "The database is restarting");
      },
    });
    await fill(user, dialog.getByLabelText("Type Crawler to confirm"), "Crawler");
    await user.click(confirm);
    expect((await dialog.findByRole("alert")).textContent).toContain("The database is restarting");
    expect(onClose).not.toHaveBeenCalled();
  });
});

describe("the code", () => {
  const example = (name: string) => screen.findByRole("region", { name: `${name} example` });

  test.each(["curl", "Node", "Python"])(
    "for %s calls this installation, and reads the key from the environment",
    async (language) => {
      const { user } = show();
      await openTab(user, "Code");
      await openTab(user, language);
      const text = (await example(language)).textContent ?? "";
      expect(text).toContain("http://console.test/api/v1");
      expect(text).toContain("PORTOLAN_API_KEY");
      await waitFor(async () => expect((await example(language)).textContent).toContain("sandbox/echo"));
    },
  );

  test("uses a model that the key may use", async () => {
    const { user } = show({ apiKey: { ...key, allowed_models: ["acme/large"] } });
    await openTab(user, "Code");
    expect((await example("curl")).textContent).toContain('"acme/large"');
  });
});
