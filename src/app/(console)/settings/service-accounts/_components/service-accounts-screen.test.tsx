import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { ApiKey } from "#contract/key.ts";
import { ServiceAccount } from "#contract/member.ts";
import { Role } from "#contract/permission.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { confirmByName } from "#test/console/confirm.ts";
import { permissionsOf } from "#test/console/permissions.ts";
import { fill, renderConsole } from "#test/console/render.tsx";
import { type Answers, listOf, refusing } from "#test/console/server.ts";
import { ServiceAccountsScreen } from "./service-accounts-screen.tsx";

const account: ServiceAccount = {
  ...sampleOf(ServiceAccount),
  ...{ name: "Crawler", role: "member", keys: 2, problem: null },
};

const visit = (serviceAccounts: Answers["serviceAccounts"] = {}, role: Role = "owner", more: Answers = {}) =>
  renderConsole(<ServiceAccountsScreen />, {
    role,
    answers: { serviceAccounts: { list: () => listOf(account), ...serviceAccounts }, ...more },
  });
const press = async ({ user }: ReturnType<typeof visit>, name: string) =>
  user.click(await screen.findByRole("button", { name }));

test("the list shows whose role cannot be read", async () => {
  visit({ list: () => ({ data: [{ ...account, problem: "role: must be a role" }], total_count: 1 }) });
  const row = (await screen.findByText("Crawler")).closest("tr");
  expect(row?.textContent).toContain("Cannot be read");
  expect(row?.textContent).not.toContain("Member");
});

test("the list shows role and keys", async () => {
  visit();
  const row = (await screen.findByText("Crawler")).closest("tr");
  expect([...(row?.cells ?? [])].slice(0, 3).map(({ textContent }) => textContent)).toEqual([
    "Crawler",
    "Member",
    "2",
  ]);
});

describe("creating", () => {
  test("sends name and role once, and loads the list again", async () => {
    const view = visit({ create: () => ({ data: account }) });
    await press(view, "Create service account");
    const dialog = await screen.findByRole("dialog", { name: "Create a service account" });
    await fill(view.user, within(dialog).getByLabelText(/^Name/), "Indexer");
    await view.user.click(within(dialog).getByRole("radio", { name: "Viewer" }));
    await view.user.dblClick(within(dialog).getByRole("button", { name: "Create" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(view.server.inputsOf("serviceAccounts.create")).toEqual([{ name: "Indexer", role: "viewer" }]);
    await waitFor(() => expect(view.server.inputsOf("serviceAccounts.list")).toHaveLength(2));
  });

  test.each([
    ["owner", ["admin", "member", "viewer"]],
    ["admin", ["admin", "member", "viewer"]],
  ] as const)("as %s offers %j: a program is never an owner", async (role, offered) => {
    const view = visit({}, role);
    await press(view, "Create service account");
    const choices = await screen.findAllByRole<HTMLInputElement>("radio");
    expect(choices.map(({ value }) => value)).toEqual(offered);
    expect(choices.find(({ checked }) => checked)?.value).toBe("member");
  });

  test("that is refused shows the reason and stays open", async () => {
    const view = visit({ create: refusing("CONFLICT", "The name is taken") });
    await press(view, "Create service account");
    await view.user.type(await screen.findByLabelText(/^Name/), "Crawler{Enter}");
    expect((await screen.findByRole("alert")).textContent).toContain("The name is taken");
  });
});

test("a key is created for the account and shown once", async () => {
  const view = visit({}, "owner", {
    keys: { create: () => ({ key: "ptl_secret_key", data: sampleOf(ApiKey) }) },
    catalogue: { models: () => ({ data: [] }) },
  });
  await press(view, "Create a key for Crawler");
  await fill(view.user, await screen.findByLabelText("Name"), "Nightly");
  await view.user.click(screen.getByRole("button", { name: "Create" }));
  await screen.findByText("ptl_secret_key");
  expect(view.server.inputsOf("keys.create")).toMatchObject([
    { name: "Nightly", service_account_id: account.user_id },
  ]);
  await waitFor(() => expect(view.server.inputsOf("serviceAccounts.list")).toHaveLength(2));
});

describe("deleting", () => {
  test("asks for the name and explains what happens to the keys", async () => {
    const view = visit({ remove: () => ({ data: { success: true } }) });
    await press(view, "Delete Crawler");
    const dialog = await confirmByName(view.user, "Delete Crawler", "Crawler");
    expect(dialog.textContent).toContain("Its keys are deleted");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(view.server.inputsOf("serviceAccounts.remove")).toEqual([{ user_id: account.user_id }]);
  });

  test("that is refused shows the reason and stays open", async () => {
    const view = visit({ remove: refusing("FORBIDDEN", "It has the role of an owner") });
    await press(view, "Delete Crawler");
    const dialog = await confirmByName(view.user, "Delete Crawler", "Crawler");
    expect((await within(dialog).findByRole("alert")).textContent).toContain("It has the role of an owner");
  });
});

test.each(Role.options)("a person who is %s manages service accounts as the server allows", async (role) => {
  visit({}, role);
  await screen.findByText("Crawler");
  const mayWrite = permissionsOf(role).has("members:write");
  for (const name of ["Create service account", "Create a key for Crawler", "Delete Crawler"])
    await waitFor(() => expect(screen.queryByRole("button", { name }) !== null, name).toBe(mayWrite));
});
