import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { type Profile, SignedInSession } from "#contract/profile.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { answerAuth } from "#test/console/auth-api.ts";
import { recordPageLoads } from "#test/console/location.ts";
import { fill, renderConsole } from "#test/console/render.tsx";
import { type Answers, refusing, requestId } from "#test/console/server.ts";
import { ProfileScreen } from "./profile-screen.tsx";

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const sessionOf = (id: number, more: Partial<SignedInSession>): SignedInSession => ({
  ...sampleOf(SignedInSession),
  id: `018f0000-0000-7000-8000-00000000000${id}`,
  user_agent: firefox,
  ip_address: "192.0.2.1",
  current: false,
  ...more,
});
const [here, elsewhere] = [
  sessionOf(1, { current: true }),
  sessionOf(2, { user_agent: null, ip_address: null }),
];
const profile: Profile = {
  name: "Anna",
  email: "anna@nordwind.example",
  has_password: true,
  sessions: [here, elsewhere],
};

const visit = (answers: Answers["profile"] = {}, more: Partial<Profile> = {}) =>
  renderConsole(<ProfileScreen />, {
    answers: { profile: { get: () => ({ ...profile, ...more }), ...answers } },
  });
const done = () => ({ data: { success: true as const } });
const nameField = () => screen.findByLabelText<HTMLInputElement>("Name");

test("a profile that cannot be loaded names the request", async () => {
  visit({ get: refusing("INTERNAL_ERROR", "Out of order") });
  expect((await screen.findByRole("alert")).textContent).toContain(requestId);
});

describe("the name", () => {
  test("is saved without spaces around it; the e-mail address cannot be changed", async () => {
    const { user, server } = visit({ update: done });
    await fill(user, await nameField(), " Anna A. ");
    await user.click(screen.getByRole("button", { name: "Save name" }));
    await screen.findByText("Name saved.");
    expect(server.inputsOf("profile.update")).toEqual([{ name: "Anna A." }]);
    expect(screen.getByLabelText<HTMLInputElement>(/^E-mail/).readOnly).toBe(true);
    await waitFor(() => expect(server.inputsOf("profile.get")).toHaveLength(2));
  });

  test("that is refused shows the reason", async () => {
    const { user } = visit({ update: refusing("BAD_REQUEST", "name: must not be empty") });
    await fill(user, await nameField(), " ");
    await user.click(screen.getByRole("button", { name: "Save name" }));
    expect((await screen.findByRole("alert")).textContent).toContain("name: must not be empty");
    expect(screen.queryByText("Name saved.")).toBeNull();
  });
});

describe("the password", () => {
  const field = (label: string) => screen.findByLabelText<HTMLInputElement>(label);
  async function change({ user }: ReturnType<typeof visit>) {
    await user.type(await field("Current password"), "old secret");
    await user.type(await field("New password"), "new secret");
    await user.click(screen.getByRole("button", { name: "Change password" }));
  }

  test("is changed by the current one; then the fields are empty", async () => {
    const calls = answerAuth(200, {});
    const view = visit();
    await change(view);
    expect((await screen.findByRole("status")).textContent).toBe(
      "Password changed. All other sessions were signed out.",
    );
    expect(calls).toEqual([
      {
        path: "/api/auth/change-password",
        body: { currentPassword: "old secret", newPassword: "new secret" },
      },
    ]);
    expect((await field("Current password")).value).toBe("");
    expect((await field("New password")).value).toBe("");
    await waitFor(() => expect(view.server.inputsOf("profile.get")).toHaveLength(2));
  });

  test("that is not the current one is reported, and what was typed stays", async () => {
    answerAuth(400, { message: "INVALID_PASSWORD" });
    const view = visit();
    await change(view);
    expect((await screen.findByRole("alert")).textContent).toBe("The current password is incorrect.");
    expect((await field("New password")).value).toBe("new secret");
  });

  test("has no form for who signs in through the organisation", async () => {
    visit({}, { has_password: false });
    await screen.findByText(/You sign in through your organisation/);
    expect(screen.queryByLabelText("New password")).toBeNull();
  });
});

describe("sessions", () => {
  test("show browser and address, and which one this is", async () => {
    visit();
    const rows = within(await screen.findByRole("table", { name: "Sessions" }))
      .getAllByRole("row")
      .slice(1);
    expect(rows[0]?.textContent).toContain("Firefox on LinuxThis session192.0.2.1");
    expect(rows[1]?.textContent).toContain("Unknown");
    expect(rows.map((row) => within(row).queryAllByRole("button").length)).toEqual([0, 1]);
  });

  test("another one is signed out, and the list is loaded again", async () => {
    const { user, server } = visit({ endSession: done });
    await user.click(await screen.findByRole("button", { name: /^Sign out (?!everywhere)/ }));
    await screen.findByText("The session is signed out.");
    expect(server.inputsOf("profile.endSession")).toEqual([{ id: elsewhere.id }]);
    await waitFor(() => expect(server.inputsOf("profile.get")).toHaveLength(2));
  });

  test("all are ended at once, this one too; then the sign-in page is loaded", async () => {
    const loads = recordPageLoads();
    const { user, server } = visit({ signOutEverywhere: done });
    await user.dblClick(await screen.findByRole("button", { name: "Sign out everywhere" }));
    await waitFor(() => expect(loads).toEqual(["/sign-in"]));
    expect(server.inputsOf("profile.signOutEverywhere")).toHaveLength(1);
  });

  test("that could not be ended are reported: nobody is led to the sign-in page", async () => {
    const loads = recordPageLoads();
    const { user } = visit({ signOutEverywhere: refusing("SERVICE_UNAVAILABLE", "Try again later") });
    await user.click(await screen.findByRole("button", { name: "Sign out everywhere" }));
    await screen.findByText("Try again later");
    expect(loads).toEqual([]);
  });
});
