import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { ConnectedApp } from "#contract/connected-app.ts";
import { ApiKey } from "#contract/key.ts";
import { Member } from "#contract/member.ts";
import { Role } from "#contract/permission.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { permissionsOf } from "#test/console/permissions.ts";
import { fill, renderConsole } from "#test/console/render.tsx";
import { type Answers, Refusal } from "#test/console/server.ts";
import { AppsScreen } from "./apps-screen.tsx";

const app = (host: string, more: Partial<ConnectedApp> = {}): ConnectedApp => ({
  ...sampleOf(ConnectedApp),
  host,
  usage: 0,
  last_used: null,
  ...more,
});
const editor = app("editor.example", { usage: 2.5, last_approved_at: "2026-03-01T00:00:00.000Z" });
const notes = app("notes.example:8443", { usage: 7, last_approved_at: "2026-05-01T00:00:00.000Z" });
const key: ApiKey = {
  ...sampleOf(ApiKey, { gaps: "always" }),
  hash: "editor000000",
  name: "Editor of Ada",
  creator_user_id: "user_1",
  usage: 2.5,
  limit: 10,
  limit_reset: "monthly",
  effective_limit: 10,
  limit_remaining: 7.5,
  disabled: false,
};
const ada = { ...sampleOf(Member), user_id: "user_1", name: "Ada" };

interface Shown {
  readonly role?: Role;
  readonly search?: string;
  readonly apps?: readonly ConnectedApp[];
  readonly connectedApps?: NonNullable<Answers["connectedApps"]>;
  readonly owner?: string;
}
const show = ({ apps = [editor, notes], connectedApps = {}, owner = "user_1", ...options }: Shown = {}) =>
  renderConsole(<AppsScreen />, {
    pathname: "/keys/apps",
    ...options,
    answers: {
      connectedApps: { list: () => ({ data: [...apps], total_count: apps.length }), ...connectedApps },
      keys: { list: () => ({ data: [{ ...key, creator_user_id: owner }], total_count: 1 }) },
      members: { list: () => ({ data: [ada], total_count: 1 }) },
    },
  });
const hosts = () =>
  within(screen.getByRole("table", { name: "Connected apps" }))
    .getAllByRole("row")
    .slice(1)
    .map((row) => row.querySelector("td")?.textContent ?? "");

describe("the list", () => {
  test("has the last approved app first, and can be sorted by what was spent", async () => {
    const { user } = show();
    await screen.findByRole("button", { name: /^editor/ });
    expect(hosts().map((text) => text.split(".")[0])).toEqual(["notes", "editor"]);
    await user.click(screen.getByRole("button", { name: /^Spent/ }));
    expect(hosts().map((text) => text.split(".")[0])).toEqual(["editor", "notes"]);
  });

  test("without apps shows their developers the address of this installation", async () => {
    show({ apps: [] });
    await screen.findByText("No connected apps");
    const address = screen.getByRole("region", { name: "authorization URL" });
    await waitFor(() => expect(address.textContent).toContain("http://console.test/api/v1/auth"));
    expect(screen.getByRole("link", { name: "How to connect an app" }).getAttribute("href")).toContain(
      "/docs/guides/connect-your-app",
    );
  });
});

describe("an app", () => {
  const open = `?open=${editor.host}`;
  const sheet = async () => within(await screen.findByRole("dialog", { name: editor.host }));

  test("shows its keys with who approved them, and leads to each", async () => {
    const { server } = show({ search: open });
    const link = await (await sheet()).findByRole("link", { name: "Editor of Ada" });
    expect(link.getAttribute("href")).toBe("/keys?open=editor000000");
    const row = within(link.closest("tr") ?? link);
    await waitFor(() => expect(row.getAllByRole("cell")[1]?.textContent).toContain("Ada"));
    expect(row.getAllByRole("cell")[2]?.textContent).toBe("€2.50of €10.00 per month");
    expect(row.getAllByRole("cell")[3]?.textContent).toBe("Active");
    expect(server.inputsOf("keys.list")).toEqual([{ app_host: editor.host, include_disabled: "true" }]);
  });

  test("approved by somebody who has left names them as such", async () => {
    show({ search: open, owner: "user_gone" });
    const link = await (await sheet()).findByRole("link", { name: "Editor of Ada" });
    expect(link.closest("tr")?.textContent).toContain("Former member");
  });

  test.each(Role.options)("can be removed by a person who is %s as they may change keys", async (role) => {
    show({ search: open, role });
    await sheet();
    const may = permissionsOf(role).has("keys:write");
    await waitFor(async () =>
      expect((await sheet()).queryByRole("button", { name: "Remove app" }) !== null).toBe(may),
    );
  });

  test("is removed after its host was typed, and the sheet closes", async () => {
    let apps = [editor, notes];
    const { user, server, query } = show({
      search: open,
      connectedApps: {
        list: () => ({ data: apps, total_count: apps.length }),
        remove: () => {
          apps = [notes];
          return { data: { success: true, keys: 1 } };
        },
      },
    });
    await user.click(await (await sheet()).findByRole("button", { name: "Remove app" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Remove editor.example" }));
    await fill(user, dialog.getByLabelText("Type editor.example to confirm"), "editor.example");
    await user.click(dialog.getByRole("button", { name: "Remove" }));
    await screen.findByText("editor.example is removed. Its keys no longer work.");
    expect(server.inputsOf("connectedApps.remove")).toEqual([{ host: editor.host }]);
    expect(query().get("open")).toBeNull();
    await waitFor(() => expect(hosts()).toHaveLength(1));
  });

  test("that could not be removed stays open and says why", async () => {
    const { user } = show({
      search: open,
      connectedApps: {
        remove: () => {
          throw new Refusal("FORBIDDEN", "Only its owner may do this");
        },
      },
    });
    await user.click(await (await sheet()).findByRole("button", { name: "Remove app" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Remove editor.example" }));
    await fill(user, dialog.getByLabelText("Type editor.example to confirm"), "editor.example");
    await user.click(dialog.getByRole("button", { name: "Remove" }));
    expect((await dialog.findByRole("alert")).textContent).toContain("Only its owner may do this");
    await sheet();
  });
});
