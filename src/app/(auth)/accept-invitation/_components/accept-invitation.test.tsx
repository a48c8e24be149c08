import { screen, waitFor } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { InvitationView } from "#contract/member.ts";
import { Profile } from "#contract/profile.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { answerAuth } from "#test/console/auth-api.ts";
import { recordPageLoads } from "#test/console/location.ts";
import { renderConsole } from "#test/console/render.tsx";
import { type Answers, Refusal } from "#test/console/server.ts";
import { AcceptInvitation } from "./accept-invitation.tsx";

const token = "t".repeat(43);
const email = "anna@nordwind.example";
const password = "correct horse";
const signInFirst = "/sign-in?next=%2Faccept-invitation";
const stored = () => sessionStorage.getItem("portolan-invitation");
const refuse = (message: string) => () => {
  throw new Refusal("CONFLICT", message);
};
const signedOut = () => {
  throw new Refusal("UNAUTHORIZED", "Sign in first");
};
const accepted = () => ({ data: { email } });

interface Arrival {
  readonly hash?: string;
  readonly hasAccount?: boolean | null;
  readonly invitations?: Answers["invitations"];
  readonly profile?: () => Profile;
}

function open({ hash = `#${token}`, hasAccount = false, invitations, profile = signedOut }: Arrival = {}) {
  window.history.replaceState(null, "", `/accept-invitation${hash}`);
  const loads = recordPageLoads();
  const view: InvitationView = {
    ...sampleOf(InvitationView),
    organisation: "Nordwind",
    email,
    role: "admin",
    has_account: hasAccount,
  };
  const made = renderConsole(<AcceptInvitation />, {
    answers: {
      invitations: { view: () => ({ data: view }), accept: accepted, ...invitations },
      profile: { get: profile },
    },
  });
  return { ...made, loads, accepts: () => made.server.inputsOf("invitations.accept") };
}
const joinButton = () => screen.findByRole("button", { name: "Join Nordwind" });

test("the page names the organisation and the role, and the token leaves the address", async () => {
  const { server } = open();
  await screen.findByText("You are invited to Nordwind as admin.");
  expect(screen.getByRole("heading").textContent).toBe("Join Nordwind");
  expect(server.inputsOf("invitations.view")).toEqual([{ token }]);
  expect(window.location.hash).toBe("");
});

test("without a token nothing is asked of the server", async () => {
  const { server } = open({ hash: "" });
  await screen.findByText("Open this page with the link from your invitation.");
  expect(server.calls).toEqual([]);
});

test("an invitation that ended is reported, and there is nothing to join", async () => {
  open({ invitations: { view: refuse("This invitation has expired") } });
  expect((await screen.findByRole("alert")).textContent).toBe("This invitation has expired");
  expect(screen.queryByRole("button", { name: /Join/ })).toBeNull();
});

describe("a person without an account", () => {
  async function join(arrival: Arrival = {}) {
    const made = open(arrival);
    await made.user.type(await screen.findByLabelText("Your name"), "Anna");
    await made.user.type(screen.getByLabelText("Password"), password);
    await made.user.dblClick(await joinButton());
    return made;
  }

  test("gets one for the invited address, which cannot be changed, and is signed in", async () => {
    const calls = answerAuth(200, {});
    const { loads, accepts } = await join();
    await waitFor(() => expect(loads).toEqual(["/overview"]));
    expect(accepts()).toEqual([{ token, name: "Anna", password }]);
    expect(calls).toEqual([{ path: "/api/auth/sign-in/email", body: { email, password } }]);
    expect(stored()).toBeNull();
    expect(screen.getByLabelText<HTMLInputElement>("E-mail").readOnly).toBe(true);
  });

  test("signs in by hand when that does not work at once", async () => {
    answerAuth(503, {});
    const { loads } = await join();
    await waitFor(() => expect(loads).toEqual(["/sign-in"]));
  });

  test("sees why it was refused, and keeps the token for another attempt", async () => {
    const { loads } = await join({ invitations: { accept: refuse("The password is too common") } });
    expect((await screen.findByRole("alert")).textContent).toContain("The password is too common");
    expect(loads).toEqual([]);
    expect(stored()).toBe(token);
  });
});

describe("a person with an account", () => {
  const profileOf = (address: string) => () => ({ ...sampleOf(Profile), email: address });

  test("who is signed in with it joins by one click, without a password", async () => {
    const { user, loads, accepts } = open({ hasAccount: true, profile: profileOf(email) });
    await user.dblClick(await joinButton());
    await waitFor(() => expect(loads).toEqual(["/overview"]));
    expect(accepts()).toEqual([{ token }]);
    expect(screen.queryByLabelText("Password")).toBeNull();
  });

  test("who is signed out signs in first and comes back; the token is still there", async () => {
    const { user, loads } = open({ hasAccount: true });
    await user.click(await screen.findByRole("button", { name: "Sign in" }));
    expect(loads).toEqual([signInFirst]);
    expect(stored()).toBe(token);
  });

  test("who is signed in as somebody else is signed out before signing in", async () => {
    const calls = answerAuth(200, {});
    const { user, loads, accepts } = open({ hasAccount: true, profile: profileOf("bert@nordwind.example") });
    await screen.findByText(/You are signed in as bert@nordwind\.example/);
    await user.click(screen.getByRole("button", { name: `Sign in as ${email}` }));
    await waitFor(() => expect(loads).toEqual([signInFirst]));
    expect(calls).toEqual([{ path: "/api/auth/sign-out", body: {} }]);
    expect(accepts()).toEqual([]);
  });
});

test("where nobody may know whether there is an account, both ways are open", async () => {
  open({ hasAccount: null });
  await joinButton();
  const link = screen.getByRole("link", { name: "Sign in to accept" });
  expect(link.getAttribute("href")).toBe(signInFirst);
});
