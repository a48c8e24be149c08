import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { Invitation } from "#contract/member.ts";
import { ManagedOrganisation } from "#contract/organisation.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { confirmByName } from "#test/console/confirm.ts";
import { fill, renderConsole } from "#test/console/render.tsx";
import { type Answers, listOf, refusing } from "#test/console/server.ts";
import { OrganisationsScreen } from "./organisations-screen.tsx";

const organisationOf = (
  id: number,
  name: string,
  more: Partial<ManagedOrganisation> = {},
): ManagedOrganisation => ({
  ...sampleOf(ManagedOrganisation),
  id: `018f0000-0000-7000-8000-00000000000${id}`,
  name,
  state: "active",
  is_operator: false,
  people: 3,
  owners: 1,
  balance: "25.500000000000",
  ...more,
});
const own = organisationOf(1, "Nordwind", { is_operator: true });
const other = organisationOf(2, "Südwind");
const suspended = organisationOf(3, "Westwind", { state: "suspended", suspended_reason: "Unpaid invoices" });
const link = "http://server.internal/accept-invitation#t0k";
const invited = { data: { ...sampleOf(Invitation), email: "anna@west.example" }, link };

const visit = (organisations: Answers["organisations"] = {}, operator = true) =>
  renderConsole(<OrganisationsScreen />, {
    session: { operator },
    answers: { organisations: { list: () => listOf(own, other, suspended), ...organisations } },
  });
const rowOf = async (name: string) => {
  const cell = await screen.findByText(name);
  return cell.closest("tr") ?? cell;
};
const press = async ({ user }: ReturnType<typeof visit>, name: string) =>
  user.click(await screen.findByRole("button", { name }));
const closed = () => waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());

test("who does not run the installation sees no organisation, and asks for none", async () => {
  const { server } = visit({}, false);
  await screen.findByText("Only for the operator of this installation");
  expect(server.inputsOf("organisations.list")).toEqual([]);
});

describe("the list", () => {
  test("shows people, credit and why an organisation is suspended", async () => {
    visit({
      list: () =>
        listOf(
          own,
          suspended,
          organisationOf(4, "Empty", { people: 0 }),
          organisationOf(5, "Lone", { people: 1, owners: 0 }),
        ),
    });
    expect((await rowOf("Nordwind")).textContent).toContain("Operator of this installation");
    expect((await rowOf("Westwind")).textContent).toContain("3 people");
    expect((await rowOf("Westwind")).textContent).toContain("Unpaid invoices");
    expect((await rowOf("Westwind")).textContent).toContain("€25.50");
    expect((await rowOf("Empty")).textContent).toContain("No members yet");
    expect((await rowOf("Lone")).textContent).toContain("1 person, no owner");
  });

  test.each([
    ["Nordwind", ["Rename"]],
    ["Südwind", ["Rename", "Invite owner", "Suspend"]],
    ["Westwind", ["Rename", "Resume", "Delete"]],
  ])("offers for %s: %j", async (name, verbs) => {
    visit();
    const buttons = within(await rowOf(name)).getAllByRole("button");
    expect(buttons.map(({ textContent }) => textContent)).toEqual(verbs);
  });

  test("is searched on the server", async () => {
    const { user, server } = visit({ list: ({ search }) => (search ? listOf() : listOf(own)) });
    await rowOf("Nordwind");
    await user.type(screen.getByRole("textbox", { name: "Find an organisation by name" }), " west ");
    await screen.findByRole("button", { name: "Clear filters" });
    expect(server.inputsOf("organisations.list").at(-1)).toEqual({ search: "west" });
    await user.click(screen.getByRole("button", { name: "Clear filters" }));
    await rowOf("Nordwind");
  });
});

describe("creating", () => {
  async function create(credit: string) {
    const view = visit({ create: () => ({ data: suspended, link }) });
    await press(view, "Create organisation");
    const dialog = await screen.findByRole("dialog", { name: "Create an organisation" });
    await fill(view.user, within(dialog).getByLabelText("Name"), "Ostwind");
    await fill(view.user, within(dialog).getByLabelText(/^Owner e-mail/), "anna@ost.example");
    await fill(view.user, within(dialog).getByLabelText(/^Starting credit/), credit);
    await view.user.dblClick(within(dialog).getByRole("button", { name: "Create" }));
    return { ...view, sent: () => view.server.inputsOf("organisations.create") };
  }

  test("sends name, owner and credit once, and shows the link under this browser's address", async () => {
    const { user, sent } = await create("12.50");
    await screen.findByText("http://console.test/accept-invitation#t0k");
    expect(sent()).toEqual([{ name: "Ostwind", owner_email: "anna@ost.example", credit: 12.5 }]);
    await user.click(screen.getByRole("button", { name: "I have copied it" }));
    await closed();
  });

  test("without credit sends none", async () => {
    const { sent } = await create("");
    await waitFor(() => expect(sent()).toEqual([{ name: "Ostwind", owner_email: "anna@ost.example" }]));
  });
});

test("renaming starts with the name, and sends the new one", async () => {
  const view = visit({ update: () => ({ data: other }) });
  await press(view, "Rename Südwind");
  const field = await screen.findByLabelText<HTMLInputElement>("Name");
  expect(field.value).toBe("Südwind");
  await fill(view.user, field, "Südost");
  await view.user.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Rename" }));
  await closed();
  expect(view.server.inputsOf("organisations.update")).toEqual([{ id: other.id, name: "Südost" }]);
});

test("an owner is invited by e-mail when there is no link to pass on", async () => {
  const view = visit({ inviteOwner: () => ({ ...invited, link: null }) });
  await press(view, "Invite owner to Südwind");
  await view.user.type(await screen.findByLabelText(/^E-mail/), "anna@west.example{Enter}");
  await screen.findByText("An e-mail with the link was sent to anna@west.example.");
  expect(view.server.inputsOf("organisations.inviteOwner")).toEqual([
    { id: other.id, email: "anna@west.example" },
  ]);
});

describe("what stops or deletes an organisation asks for its name", () => {
  test("suspending sends the reason", async () => {
    const view = visit({ suspend: () => ({ data: suspended }) });
    await press(view, "Suspend Südwind");
    await fill(view.user, await screen.findByLabelText(/^Reason/), "Unpaid");
    await confirmByName(view.user, "Suspend Südwind", "Südwind");
    await screen.findByText("Südwind is suspended.");
    expect(view.server.inputsOf("organisations.suspend")).toEqual([{ id: other.id, reason: "Unpaid" }]);
    await closed();
  });

  test("suspending without a reason is not sent", async () => {
    const view = visit({ suspend: () => ({ data: suspended }) });
    await press(view, "Suspend Südwind");
    await confirmByName(view.user, "Suspend Südwind", "Südwind");
    expect(view.server.inputsOf("organisations.suspend")).toEqual([]);
  });

  test("resuming", async () => {
    const view = visit({ resume: () => ({ data: other }) });
    await press(view, "Resume Westwind");
    await confirmByName(view.user, "Resume Westwind", "Westwind");
    await screen.findByText("Westwind is active again.");
    expect(view.server.inputsOf("organisations.resume")).toEqual([{ id: suspended.id }]);
    await waitFor(() => expect(view.server.inputsOf("organisations.list")).toHaveLength(2));
  });

  test("deleting sends the name as a safeguard, and lists what is not deleted", async () => {
    const view = visit({ remove: () => ({ data: { success: true } }) });
    await press(view, "Delete Westwind");
    const dialog = await confirmByName(view.user, "Delete Westwind", "Westwind");
    expect(dialog.textContent).toContain("The ledger, the audit log and request records");
    await screen.findByText("Westwind is deleted.");
    expect(view.server.inputsOf("organisations.remove")).toEqual([{ id: suspended.id, name: "Westwind" }]);
  });

  test("a refusal is shown in the dialog, which stays", async () => {
    const view = visit({ remove: refusing("CONFLICT", "Requests are still in progress") });
    await press(view, "Delete Westwind");
    const dialog = await confirmByName(view.user, "Delete Westwind", "Westwind");
    expect((await within(dialog).findByRole("alert")).textContent).toContain("still in progress");
    expect(screen.queryByText("Westwind is deleted.")).toBeNull();
  });
});
