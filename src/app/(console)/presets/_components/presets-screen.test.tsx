import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { Role } from "#contract/permission.ts";
import { PresetCreate, type PresetVersion, PresetWithVersion } from "#contract/preset.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { permissionsOf } from "#test/console/permissions.ts";
import { fill, renderConsole } from "#test/console/render.tsx";
import { type Answers, listOf, refusing } from "#test/console/server.ts";
import { PresetsScreen } from "./presets-screen.tsx";

const sample = PresetWithVersion.parse(sampleOf(PresetWithVersion, { gaps: "always" }));
const versionOf = (version: number, more: Partial<PresetVersion>): PresetVersion => ({
  ...sample.designated_version,
  id: `018f0000-0000-7000-8000-00000000000${version}`,
  version,
  operations: ["chat", "responses"],
  restored_from: null,
  ...more,
});
const current = versionOf(2, {
  system_prompt: "Be brief.\nBe polite.",
  config: { models: ["acme/large"], temperature: 0.3 },
});
const first = versionOf(1, { system_prompt: "Be brief.", config: { models: ["acme/large"] } });
const support: PresetWithVersion = {
  ...sample,
  name: "support",
  slug: "support",
  description: "Answers customers",
  version: 2,
  models: ["acme/large"],
  designated_version: current,
};

type PresetAnswers = NonNullable<Answers["presets"]>;
const show = (presets: PresetAnswers = {}, options: { role?: Role; search?: string } = {}) =>
  renderConsole(<PresetsScreen />, {
    pathname: "/presets",
    ...options,
    answers: {
      catalogue: { models: () => ({ data: [] }), providers: () => ({ data: [] }) },
      presets: {
        list: () => listOf(support),
        get: () => ({ data: support }),
        versions: () => listOf(current, first),
        ...presets,
      },
    },
  });
const sheet = (title = "support") => screen.findByRole("dialog", { name: title });
const opened = async (presets: PresetAnswers = {}, tab?: string) => {
  const shown = show(presets, { search: "?open=support" });
  const dialog = within(await sheet());
  await dialog.findByRole("textbox", { name: "System prompt" });
  if (tab) await shown.user.click(dialog.getByRole("tab", { name: tab }));
  return { ...shown, dialog };
};

describe("the list", () => {
  test("shows name, models and version of each preset, and opens it", async () => {
    const { user } = show();
    const row = (await screen.findByRole("button", { name: /^support/ })).closest("tr") as HTMLElement;
    const cells = within(row)
      .getAllByRole("cell")
      .map((cell) => cell.textContent);
    expect(cells.slice(1, 4)).toEqual(["acme/large", "All", "2"]);
    await user.click(within(row).getByRole("button", { name: /^support/ }));
    expect(await sheet()).toBeTruthy();
  });

  test.each(Role.options)(
    "can be read by every role; creating is only for those who may: %s",
    async (role) => {
      show({}, { role });
      await screen.findByRole("button", { name: /^support/ });
      const isOffered = screen.queryByRole("button", { name: "Create preset" }) !== null;
      expect(isOffered).toBe(permissionsOf(role).has("workspaces:write"));
    },
  );

  test("that is empty explains what presets are for", async () => {
    show({ list: () => listOf() });
    expect(await screen.findByText("No presets yet")).toBeTruthy();
  });
});

describe("the form", () => {
  test("creates a preset with a body that the API takes", async () => {
    const { user, server } = show(
      { create: () => ({ data: { ...support, name: "new-one" } }) },
      { search: "?add=new" },
    );
    const dialog = within(await sheet("Create a preset"));
    await fill(user, dialog.getByRole("textbox", { name: "Name" }), "new-one");
    await fill(user, dialog.getByRole("textbox", { name: "System prompt" }), "Be brief.");
    await user.click(dialog.getByRole("combobox", { name: "Add a parameter" }));
    await user.click(await screen.findByRole("option", { name: "temperature" }));
    expect(dialog.getByRole("alert").textContent).toBe("temperature is empty; enter a value or remove it");
    await fill(user, dialog.getByRole("spinbutton", { name: "temperature" }), "0.5");
    expect(dialog.getByText("Fits requests to /chat/completions, /responses and /messages.")).toBeTruthy();
    await user.click(dialog.getByRole("button", { name: "Create" }));
    await screen.findByText("new-one is created.");
    const sent = PresetCreate.parse(server.inputsOf("presets.create")[0]);
    expect(sent).toMatchObject({
      name: "new-one",
      system_prompt: "Be brief.",
      config: { temperature: 0.5 },
    });
  });

  test("saves a change as a new version and says so; without one there is nothing to save", async () => {
    const { user, server, dialog } = await opened({ update: () => ({ data: { ...support, version: 3 } }) });
    expect(dialog.getByRole<HTMLButtonElement>("button", { name: "Save" }).disabled).toBe(true);
    await user.click(dialog.getByRole("button", { name: "Remove temperature" }));
    await user.click(dialog.getByRole("button", { name: "Save" }));
    await screen.findByText("Version 3 of support is current now.");
    expect(server.inputsOf("presets.update")[0]).toMatchObject({
      slug: "support",
      config: { models: ["acme/large"] },
    });
  });

  test("shows why the server refuses", async () => {
    const { user, dialog } = await opened({ update: refusing("CONFLICT", "A preset may have 200 versions") });
    await user.click(dialog.getByRole("button", { name: "Remove temperature" }));
    await user.click(dialog.getByRole("button", { name: "Save" }));
    expect(await dialog.findByText(/A preset may have 200 versions/)).toBeTruthy();
  });

  test("warns of a preset that no operation takes completely", async () => {
    const { user, dialog } = await opened();
    await user.click(dialog.getByRole("combobox", { name: "Add a parameter" }));
    await user.click(await screen.findByRole("option", { name: "top_n" }));
    await fill(user, dialog.getByRole("spinbutton", { name: "top_n" }), "3");
    expect(
      dialog.getByText(/No operation takes all of this. \/chat\/completions does not take top_n/),
    ).toBeTruthy();
  });
});

describe("the versions", () => {
  test("show what restoring would change, and restore", async () => {
    const { user, server, dialog } = await opened(
      {
        restore: () => ({
          data: { ...support, version: 3, designated_version: versionOf(3, { restored_from: 1 }) },
        }),
      },
      "Versions",
    );
    await user.click(await dialog.findByRole("button", { name: /^Version 1/ }));
    const differences = await dialog.findByRole("group", { name: "Differences of version 1" });
    expect(differences.textContent).toContain("− Be polite.");
    expect(differences.textContent).toContain("temperature− 0.3");
    await user.click(dialog.getByRole("button", { name: "Restore version 1" }));
    await screen.findByText("Version 1 is restored as version 3.");
    expect(server.inputsOf("presets.restore")[0]).toEqual({
      slug: "support",
      version: "1",
    });
  });

  test("can be deleted, but for the current one", async () => {
    const { user, server, dialog } = await opened(
      { removeVersion: () => ({ data: { success: true } }) },
      "Versions",
    );
    await user.click(await dialog.findByRole("button", { name: /^Version 2/ }));
    expect(await dialog.findByText("What changed since version 1:")).toBeTruthy();
    expect(dialog.queryByRole("button", { name: "Delete version 2" })).toBeNull();
    await user.click(dialog.getByRole("button", { name: /^Version 1/ }));
    await user.click(await dialog.findByRole("button", { name: "Delete version 1" }));
    await waitFor(() =>
      expect(server.inputsOf("presets.removeVersion")[0]).toEqual({
        slug: "support",
        version: "1",
      }),
    );
  });
});

test("the code to copy uses the preset and sends nothing that it sets", async () => {
  const { dialog } = await opened({}, "Use it");
  const code = await dialog.findByRole("region", { name: "curl code" });
  expect(code.textContent).toContain('"model": "@preset/support"');
  expect(code.textContent).not.toContain("max_");
  const link = dialog.getByRole<HTMLAnchorElement>("link", { name: "Open in playground" });
  expect(link.href).toContain("/playground#");
});
