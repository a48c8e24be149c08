import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { Invitation, Member } from "#contract/member.ts";
import { Role } from "#contract/permission.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { recordPageLoads } from "#test/console/location.ts";
import { permissionsOf } from "#test/console/permissions.ts";
import { renderConsole, sessionOf } from "#test/console/render.tsx";
import { type Answers, listOf, refusing, requestId } from "#test/console/server.ts";
import { MembersScreen } from "./members-screen.tsx";

const memberOf = (name: string, more: Partial<Member> = {}): Member => ({
  ...sampleOf(Member),
  user_id: `018f0000-0000-7000-8000-0000000000${name.length}0`,
  kind: "person",
  name,
  role: "member",
  disabled: false,
  ...more,
});
const anna = memberOf("Anna Albers");
const link = "https://internal.example:8443/accept-invitation#t0k";
const invitation: Invitation = {
  ...sampleOf(Invitation),
  email: "bert@nordwind.example",
  role: "viewer",
  problem: null,
  expires_at: "2999-01-01T00:00:00.000Z",
};

interface Visit {
  readonly role?: Role;
  readonly members?: Answers["members"];
  readonly invitations?: Answers["invitations"];
  readonly open?: readonly Invitation[];
}

function visit({ role = "owner", members = {}, invitations = {}, open = [] }: Visit = {}) {
  const self = memberOf("Myself", { user_id: sessionOf(role).user_id, role });
  return renderConsole(<MembersScreen />, {
    role,
    answers: {
      members: { list: () => listOf(self, anna, memberOf("Crawler", { kind: "service" })), ...members },
      invitations: { list: () => listOf(...open), ...invitations },
    },
  });
}
const press = async ({ user }: ReturnType<typeof visit>, name: string) =>
  user.click(await screen.findByRole("button", { name }));
const closed = () => waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());

describe("the screen", () => {
  test("lists people, not service accounts, and no invitations where none is open", async () => {
    visit();
    await screen.findByText("Anna Albers");
    expect(screen.queryByText("Crawler")).toBeNull();
    expect(screen.queryByText("Open invitations")).toBeNull();
  });

  test.each(["members", "invitations"] as const)(
    "shows one failure when %s cannot be loaded",
    async (area) => {
      visit({ [area]: { list: refusing("INTERNAL_ERROR", "Out of order") } });
      expect((await screen.findByRole("alert")).textContent).toContain(requestId);
      expect(screen.queryByRole("table")).toBeNull();
    },
  );

  test.each(Role.options)("offers to invite to a person who is %s as the server allows", async (role) => {
    visit({ role, open: [invitation] });
    await screen.findByText("Anna Albers");
    const mayWrite = permissionsOf(role).has("members:write");
    for (const name of ["Invite", `Resend the invitation to ${invitation.email}`])
      await waitFor(() => expect(screen.queryByRole("button", { name }) !== null, name).toBe(mayWrite));
  });
});

describe("inviting", () => {
  const sent = (of: string | null) => ({
    data: { ...invitation, email: "carla@nordwind.example" },
    link: of,
  });

  test("sends address and role once; the link is shown under the address of this browser", async () => {
    const view = visit({ invitations: { create: () => sent(link) } });
    await press(view, "Invite");
    await view.user.type(await screen.findByLabelText("E-mail"), "carla@nordwind.example");
    await view.user.click(screen.getByRole("radio", { name: "Admin" }));
    await view.user.dblClick(screen.getByRole("button", { name: "Send invitation" }));
    await screen.findByText("http://console.test/accept-invitation#t0k");
    expect(view.server.inputsOf("invitations.create")).toEqual([
      { email: "carla@nordwind.example", role: "admin" },
    ]);
    expect(screen.getByRole("dialog").textContent).toContain("once and within seven days");
    await view.user.click(screen.getByRole("button", { name: "I have copied it" }));
    await closed();
    await waitFor(() => expect(view.server.inputsOf("invitations.list").length).toBeGreaterThan(1));
  });

  test("by e-mail shows no link", async () => {
    const view = visit({ invitations: { create: () => sent(null) } });
    await press(view, "Invite");
    await view.user.type(await screen.findByLabelText("E-mail"), "carla@nordwind.example{Enter}");
    await screen.findByText("An e-mail with the link was sent to carla@nordwind.example.");
    expect(screen.queryByText(/accept-invitation/)).toBeNull();
  });

  test.each([
    ["owner", ["owner", "admin", "member", "viewer"]],
    ["admin", ["admin", "member", "viewer"]],
  ] as const)("as %s offers the roles %j, and member at first", async (role, offered) => {
    const view = visit({ role });
    await press(view, "Invite");
    const choices = await screen.findAllByRole<HTMLInputElement>("radio");
    expect(choices.map(({ value }) => value)).toEqual(offered);
    expect(choices.find(({ checked }) => checked)?.value).toBe("member");
  });

  test("that is refused shows the reason and keeps the address", async () => {
    const view = visit({ invitations: { create: refusing("CONFLICT", "Carla is a member already") } });
    await press(view, "Invite");
    await view.user.type(await screen.findByLabelText("E-mail"), "carla@nordwind.example{Enter}");
    expect((await screen.findByRole("alert")).textContent).toContain("Carla is a member already");
    expect(screen.getByLabelText<HTMLInputElement>("E-mail").value).toBe("carla@nordwind.example");
  });

  test("needs an e-mail address", async () => {
    const view = visit({ invitations: { create: () => sent(null) } });
    await press(view, "Invite");
    await view.user.type(await screen.findByLabelText("E-mail"), "carla{Enter}");
    expect(view.server.inputsOf("invitations.create")).toEqual([]);
  });
});

describe("removing a member", () => {
  test("explains what happens, removes once and loads the list again", async () => {
    const view = visit({ members: { remove: () => ({ data: { success: true } }) } });
    await press(view, "Remove Anna Albers");
    const dialog = await screen.findByRole("dialog", { name: "Remove Anna Albers" });
    expect(dialog.textContent).toContain("Their API keys in this organisation are disabled");
    expect(view.server.inputsOf("members.remove")).toEqual([]);
    await view.user.dblClick(within(dialog).getByRole("button", { name: "Remove" }));
    await closed();
    expect(view.server.inputsOf("members.remove")).toEqual([{ user_id: anna.user_id }]);
    await waitFor(() => expect(view.server.inputsOf("members.list")).toHaveLength(2));
  });

  test("can be cancelled", async () => {
    const view = visit();
    await press(view, "Remove Anna Albers");
    await press(view, "Cancel");
    await closed();
    expect(view.server.inputsOf("members.remove")).toEqual([]);
  });

  test("that is refused shows the reason and stays open", async () => {
    const view = visit({ members: { remove: refusing("CONFLICT", "The last owner cannot be removed") } });
    await press(view, "Remove Anna Albers");
    const dialog = await screen.findByRole("dialog");
    await view.user.click(within(dialog).getByRole("button", { name: "Remove" }));
    expect((await within(dialog).findByRole("alert")).textContent).toContain("The last owner");
  });
});

test("leaving the organisation loads the page again, so that no data of it stays in memory", async () => {
  const loads = recordPageLoads();
  const view = visit({ role: "viewer", members: { leave: () => ({ data: { success: true } }) } });
  await press(view, "Leave the organisation");
  const dialog = await screen.findByRole("dialog", { name: "Leave the organisation" });
  expect(dialog.textContent).toContain("Your API keys in this organisation are disabled");
  await view.user.click(within(dialog).getByRole("button", { name: "Leave" }));
  await waitFor(() => expect(loads).toEqual(["/overview"]));
  expect(view.server.inputsOf("members.leave")).toHaveLength(1);
  expect(view.server.inputsOf("members.remove")).toEqual([]);
});

describe("open invitations", () => {
  test("show address, role and whether they expired", async () => {
    const expired = {
      ...invitation,
      id: anna.user_id,
      email: "old@nordwind.example",
      expires_at: "2020-01-01T00:00:00.000Z",
    };
    const unread = { ...invitation, id: invitation.id.replace(/.$/, "f"), email: "new@nordwind.example" };
    visit({ open: [invitation, expired, { ...unread, problem: "role: must be a role" }] });
    const rowOf = async (text: string) => (await screen.findByText(text)).closest("tr")?.textContent;
    expect(await rowOf(invitation.email)).toContain("as Viewer1 Jan 2999");
    expect(await rowOf("old@nordwind.example")).toContain("Expired");
    expect(await rowOf("new@nordwind.example")).toContain("Cannot be read");
  });

  test("are resent with a new link", async () => {
    const view = visit({ open: [invitation], invitations: { resend: () => ({ data: invitation, link }) } });
    await press(view, `Resend the invitation to ${invitation.email}`);
    const dialog = await screen.findByRole("dialog", { name: "Invitation resent" });
    within(dialog).getByText("http://console.test/accept-invitation#t0k");
    expect(view.server.inputsOf("invitations.resend")).toEqual([{ id: invitation.id }]);
  });

  test("are revoked, or the reason is reported", async () => {
    let isRevoked = false;
    const revoke = () => {
      if (isRevoked) return refusing("NOT_FOUND", "There is no such invitation")();
      isRevoked = true;
      return { data: { success: true as const } };
    };
    const view = visit({ open: [invitation], invitations: { revoke } });
    const name = `Revoke the invitation of ${invitation.email}`;
    await press(view, name);
    await screen.findByText("The invitation is revoked.");
    await press(view, name);
    await screen.findByText("There is no such invitation");
    expect(view.server.inputsOf("invitations.revoke")).toEqual([
      { id: invitation.id },
      { id: invitation.id },
    ]);
  });

  test.each([
    ["owner", "owner", true],
    ["admin", "owner", false],
    ["admin", "admin", true],
  ] as const)("as %s, one for an %s can be decided about: %s", async (role, invitedRole, may) => {
    visit({ role, open: [{ ...invitation, role: invitedRole }] });
    await screen.findByText(invitation.email);
    await waitFor(() => expect(screen.queryByRole("button", { name: "Invite" })).not.toBeNull());
    expect(screen.queryByRole("button", { name: /^Revoke/ }) !== null).toBe(may);
  });
});
