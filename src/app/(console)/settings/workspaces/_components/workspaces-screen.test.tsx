import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { Role } from "#contract/permission.ts";
import { Workspace } from "#contract/workspace.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { confirmByName } from "#test/console/confirm.ts";
import { permissionsOf } from "#test/console/permissions.ts";
import { fill, renderConsole } from "#test/console/render.tsx";
import { type Answers, listOf, refusing, requestId } from "#test/console/server.ts";
import { WorkspacesScreen } from "./workspaces-screen.tsx";

const workspaceOf = (name: string, id: number, more: Partial<Workspace> = {}): Workspace => ({
  ...sampleOf(Workspace, { gaps: "always" }),
  id: `018f0000-0000-7000-8000-00000000000${id}`,
  name,
  limit: null,
  limit_reset: null,
  ...more,
});
const research = workspaceOf("Research", 1, {
  description: "Papers",
  limit: 250,
  limit_reset: "monthly",
  usage: 12.5,
  usage_monthly: 3.256,
});
const sales = workspaceOf("Sales", 2, { usage: 0, usage_monthly: 0 });

const visit = (workspaces: Answers["workspaces"] = {}, role: Role = "owner") =>
  renderConsole(<WorkspacesScreen />, {
    role,
    answers: { workspaces: { list: () => listOf(research, sales), ...workspaces } },
  });
const rowOf = async (name: string) => {
  const cell = await screen.findByText(name);
  return cell.closest("tr") ?? cell;
};
const open = async (user: ReturnType<typeof visit>["user"], name: string) => {
  await user.click(await screen.findByRole("button", { name }));
  return screen.findByRole("dialog");
};

describe("the list", () => {
  test("shows the purpose, what was spent and of what", async () => {
    visit();
    const text = (await rowOf("Research")).textContent;
    expect(text).toContain("Papers");
    expect(text).toContain("€12.50of €250.00 per month");
    expect(text).toContain("€3.26");
    expect((await rowOf("Sales")).textContent).toContain("€0.00no limit");
  });

  test("is empty at first and explains what workspaces are for", async () => {
    visit({ list: () => listOf() });
    expect((await screen.findByText("No workspaces yet")).parentElement?.textContent).toContain(
      "share one limit",
    );
  });

  test("that cannot be loaded names the request", async () => {
    visit({ list: refusing("INTERNAL_ERROR", "Out of order") });
    expect((await screen.findByRole("alert")).textContent).toContain(requestId);
  });
});

describe("creating", () => {
  test("sends what was typed once, closes and loads the list again", async () => {
    const { user, server } = visit({ create: () => ({ data: sales }) });
    const dialog = await open(user, "Create workspace");
    await fill(user, within(dialog).getByLabelText("Name"), " Support ");
    await fill(user, within(dialog).getByLabelText("Description"), "Answers");
    await fill(user, within(dialog).getByLabelText(/^Spending limit/), "5.5");
    await user.selectOptions(within(dialog).getByLabelText("Limit resets"), "weekly");
    await user.dblClick(within(dialog).getByRole("button", { name: "Create" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(server.inputsOf("workspaces.create")).toEqual([
      { name: "Support", description: "Answers", limit: 5.5, limit_reset: "weekly" },
    ]);
    await waitFor(() => expect(server.inputsOf("workspaces.list")).toHaveLength(2));
  });

  test("with empty fields has no description and no limit", async () => {
    const { user, server } = visit({ create: () => ({ data: sales }) });
    await open(user, "Create workspace");
    await user.type(screen.getByLabelText("Name"), "Support{Enter}");
    await waitFor(() => expect(server.inputsOf("workspaces.create")).toHaveLength(1));
    expect(server.inputsOf("workspaces.create")[0]).toEqual({
      name: "Support",
      description: null,
      limit: null,
      limit_reset: null,
    });
  });

  test.each(["1,5", "-1", "0.1234567", "ten"])("is not sent with the limit %s", async (limit) => {
    const { user, server } = visit({ create: () => ({ data: sales }) });
    const dialog = await open(user, "Create workspace");
    await fill(user, within(dialog).getByLabelText("Name"), "Support");
    await fill(user, within(dialog).getByLabelText(/^Spending limit/), limit);
    await user.click(within(dialog).getByRole("button", { name: "Create" }));
    expect(server.inputsOf("workspaces.create")).toEqual([]);
  });

  test("that is refused shows the reason and keeps what was typed", async () => {
    const { user } = visit({ create: refusing("CONFLICT", "A workspace of this name exists") });
    await open(user, "Create workspace");
    await user.type(screen.getByLabelText("Name"), "Sales{Enter}");
    expect((await screen.findByRole("alert")).textContent).toContain("A workspace of this name exists");
    expect(screen.getByLabelText<HTMLInputElement>("Name").value).toBe("Sales");
  });
});

describe("changing", () => {
  test("starts with what is stored; an emptied limit is removed together with its reset", async () => {
    const { user, server } = visit({ update: () => ({ data: research }) });
    const dialog = await open(user, "Edit Research");
    const value = (label: string | RegExp) =>
      within(dialog).getByLabelText<HTMLInputElement | HTMLSelectElement>(label).value;
    expect([value("Name"), value("Description"), value(/^Spending limit/), value("Limit resets")]).toEqual([
      "Research",
      "Papers",
      "250",
      "monthly",
    ]);
    await fill(user, within(dialog).getByLabelText(/^Spending limit/), "");
    await user.click(within(dialog).getByRole("button", { name: "Save" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(server.inputsOf("workspaces.update")).toEqual([
      { id: research.id, name: "Research", description: "Papers", limit: null, limit_reset: null },
    ]);
  });
});

describe("deleting", () => {
  test("asks for the name, then deletes that workspace and loads the list again", async () => {
    const { user, server } = visit({ remove: () => ({ deleted: true, data: { success: true } }) });
    const dialog = await open(user, "Delete Sales");
    expect(dialog.textContent).toContain("Only empty workspaces can be deleted");
    expect(server.inputsOf("workspaces.remove")).toEqual([]);
    await confirmByName(user, "Delete Sales", "Sales");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(server.inputsOf("workspaces.remove")).toEqual([{ id: sales.id }]);
    await waitFor(() => expect(server.inputsOf("workspaces.list")).toHaveLength(2));
  });

  test("a reason why one could not be deleted is not shown for the next", async () => {
    const { user } = visit({ remove: refusing("CONFLICT", "It still has 2 keys") });
    await open(user, "Delete Sales");
    const dialog = await confirmByName(user, "Delete Sales", "Sales");
    expect((await within(dialog).findByRole("alert")).textContent).toContain("It still has 2 keys");
    await user.click(within(dialog).getByRole("button", { name: "Cancel" }));
    await open(user, "Delete Research");
    expect(screen.queryByRole("alert")).toBeNull();
  });
});

test.each(Role.options)("a person who is %s changes workspaces as the server allows", async (role) => {
  visit({}, role);
  await rowOf("Research");
  const mayWrite = permissionsOf(role).has("workspaces:write");
  for (const name of ["Create workspace", "Edit Research", "Delete Sales"])
    await waitFor(() => expect(screen.queryByRole("button", { name }) !== null, name).toBe(mayWrite));
});
