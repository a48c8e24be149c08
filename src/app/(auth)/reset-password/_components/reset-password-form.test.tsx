import { screen, waitFor } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { answerAuth } from "#test/console/auth-api.ts";
import { renderConsole } from "#test/console/render.tsx";
import { ResetPasswordForm } from "./reset-password-form.tsx";

const stored = () => sessionStorage.getItem("portolan-reset");
function open(hash: string) {
  window.history.replaceState(null, "", `/reset-password${hash}`);
  return renderConsole(<ResetPasswordForm />);
}
const field = () => screen.findByLabelText<HTMLInputElement>("New password");

describe("with the token of a link", () => {
  test("the new password is set by it once; then the token is deleted", async () => {
    const calls = answerAuth(200, {});
    const { user } = open("#t0k-1");
    await user.type(await field(), "correct horse");
    await user.dblClick(screen.getByRole("button", { name: "Set password" }));
    expect((await screen.findByRole("status")).textContent).toContain("All sessions were signed out");
    expect(calls).toEqual([
      { path: "/api/auth/reset-password", body: { token: "t0k-1", newPassword: "correct horse" } },
    ]);
    expect(stored()).toBeNull();
    expect(screen.getByRole("link", { name: "Sign in" }).getAttribute("href")).toBe("/sign-in");
  });

  test("the token is removed from the address, and survives a reload of the page", async () => {
    const { unmount } = open("#t0k-2");
    await field();
    expect(window.location.hash).toBe("");
    unmount();
    const calls = answerAuth(200, {});
    const { user } = open("");
    await user.type(await field(), "correct horse{Enter}");
    await waitFor(() => expect(calls[0]?.body).toMatchObject({ token: "t0k-2" }));
  });

  test("that was used, the way to a new link is shown and the form stays", async () => {
    answerAuth(400, { message: "INVALID_TOKEN" });
    const { user } = open("#t0k-3");
    await user.type(await field(), "correct horse{Enter}");
    expect((await screen.findByRole("alert")).textContent).toContain("already used or has expired");
    expect(screen.getByRole("link", { name: "Request a new link" }).getAttribute("href")).toBe(
      "/lost-password",
    );
    expect((await field()).value).toBe("correct horse");
  });

  test("the field asks password managers for a new password within the bounds of the server", async () => {
    open("#t0k-4");
    const { type, autocomplete, minLength, maxLength, required } = await field();
    expect({ type, autocomplete, minLength, maxLength, required }).toEqual({
      type: "password",
      autocomplete: "new-password",
      minLength: 8,
      maxLength: 128,
      required: true,
    });
  });
});

test("without a token there is no form, but the way to a link", async () => {
  open("");
  await screen.findByText("Open this page with a password reset link.");
  expect(screen.queryByLabelText("New password")).toBeNull();
  expect(screen.getByRole("link").getAttribute("href")).toBe("/lost-password");
});
