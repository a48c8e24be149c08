import { screen, waitFor } from "@testing-library/react";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { answerAuth } from "#test/console/auth-api.ts";
import { recordPageLoads } from "#test/console/location.ts";
import { renderConsole } from "#test/console/render.tsx";
import { never } from "#test/console/server.ts";
import { SignInForm } from "./sign-in-form.tsx";

interface Arrival {
  readonly next?: string;
  readonly refusal?: string;
  readonly oidc?: boolean;
}

function arrive({ next, refusal, oidc = false }: Arrival = {}) {
  const loads = recordPageLoads();
  const view = renderConsole(<SignInForm next={next} refusal={refusal} />, {
    answers: { session: { ways: () => ({ oidc }) } },
  });
  async function signIn(email = "anna@nordwind.example", password = "correct horse") {
    await view.user.type(screen.getByLabelText("E-mail"), email);
    await view.user.type(screen.getByLabelText("Password"), password);
    await view.user.keyboard("{Enter}");
  }
  return { ...view, loads, signIn };
}
const alertText = async () => (await screen.findByRole("alert")).textContent;

describe("signing in", () => {
  test("sends what was typed, and goes to the page that was asked for", async () => {
    const calls = answerAuth(200, {});
    const { loads, signIn } = arrive({ next: "/keys?open=1" });
    await signIn();
    await waitFor(() => expect(loads).toEqual(["/keys?open=1"]));
    expect(calls).toEqual([
      {
        path: "/api/auth/sign-in/email",
        body: { email: "anna@nordwind.example", password: "correct horse" },
      },
    ]);
  });

  test.each([
    [undefined, "/overview"],
    ["https://evil.example/", "/"],
    ["//evil.example", "/"],
    ["javascript:alert(1)", "/"],
  ])("with the next page %s goes to %s", async (next, path) => {
    answerAuth(200, {});
    const { loads, signIn } = arrive({ ...(next && { next }) });
    await signIn();
    await waitFor(() => expect(loads).toEqual([path]));
  });

  test("that fails shows why, goes nowhere and can be tried again", async () => {
    const calls = answerAuth(401, { message: "User not found" });
    const { loads, signIn, user } = arrive();
    await signIn();
    expect(await alertText()).toBe("The e-mail or password is incorrect.");
    expect(loads).toEqual([]);
    expect(screen.getByLabelText<HTMLInputElement>("E-mail").value).toBe("anna@nordwind.example");
    await user.click(screen.getByRole("button", { name: "Sign in" }));
    await waitFor(() => expect(calls).toHaveLength(2));
  });

  test.each(["", "no-address"])("is not sent with the e-mail %j", async (email) => {
    const calls = answerAuth(200, {});
    const { user } = arrive();
    if (email) await user.type(screen.getByLabelText("E-mail"), email);
    await user.type(screen.getByLabelText("Password"), "correct horse{Enter}");
    expect(calls).toEqual([]);
  });

  test("hides the password, which can be shown, and tells password managers what the fields are", async () => {
    const { user } = arrive();
    const password = screen.getByLabelText<HTMLInputElement>("Password");
    expect(password.type).toBe("password");
    expect(password.autocomplete).toBe("current-password");
    expect(screen.getByLabelText<HTMLInputElement>("E-mail").autocomplete).toBe("username");
    await user.click(screen.getByRole("button", { name: "Show or hide the password" }));
    expect(password.type).toBe("text");
  });

  test("leads to a new password for who forgot it", () => {
    arrive();
    const link = screen.getByRole("link", { name: "Forgot your password?" });
    expect(link.getAttribute("href")).toBe("/lost-password");
  });
});

describe("the sign-in of the organisation", () => {
  const button = () => screen.findByRole("button", { name: "Sign in with your organisation" });

  test("is not offered where there is none", async () => {
    const { server } = arrive();
    await waitFor(() => expect(server.inputsOf("session.ways")).toHaveLength(1));
    expect(screen.queryByRole("button", { name: "Sign in with your organisation" })).toBeNull();
  });

  test("leaves for the address that the server names, and asks it to come back to the same page", async () => {
    const calls = answerAuth(200, { url: "https://id.example/authorize" });
    const { user, loads } = arrive({ oidc: true, next: "/keys" });
    await user.click(await button());
    await waitFor(() => expect(loads).toEqual(["https://id.example/authorize"]));
    expect(calls).toEqual([{ path: "/api/auth/sign-in/oidc", body: { next: "/keys" } }]);
  });

  test("that fails shows why", async () => {
    answerAuth(503, { message: "The identity provider does not answer" });
    const { user, loads } = arrive({ oidc: true });
    await user.click(await button());
    expect(await alertText()).toBe("The identity provider does not answer");
    expect(loads).toEqual([]);
  });

  test.each([
    ["oidc_state", "expired"],
    ["oidc_denied", "denied"],
    ["oidc_failed", "invalid response"],
    ["email_unverified", "not verified"],
    ["not_invited", "not been invited"],
  ])("that sent somebody back with %s explains it", async (refusal, text) => {
    arrive({ refusal });
    expect(await alertText()).toContain(text);
  });

  test("with an unknown reason in the address shows no text of it", () => {
    const { container } = arrive({ refusal: "<b>call 0900</b>" });
    expect(screen.queryByRole("alert")).toBeNull();
    expect(container.textContent).not.toContain("0900");
  });
});

test("a problem is removed once another attempt begins", async () => {
  const { signIn } = arrive({ refusal: "oidc_denied" });
  expect(await alertText()).toContain("denied");
  onTestFinished(() => void vi.unstubAllGlobals());
  vi.stubGlobal("fetch", never);
  // Of nobody else: the attempt does not end with the test, and a second one like it would wait for it.
  await signIn("nobody-else@nordwind.example");
  await waitFor(() => expect(screen.queryByRole("alert")).toBeNull());
});
