import { screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { answerAuth } from "#test/console/auth-api.ts";
import { renderConsole } from "#test/console/render.tsx";
import { LostPasswordForm } from "./lost-password-form.tsx";

const email = "anna@nordwind.example";
const field = () => screen.getByLabelText<HTMLInputElement>("E-mail");

test("a link is asked for once, and the answer does not say whether there is an account", async () => {
  const calls = answerAuth(200, { status: true });
  const { user } = renderConsole(<LostPasswordForm />);
  await user.type(field(), email);
  await user.dblClick(screen.getByRole("button", { name: "Send reset link" }));
  const status = await screen.findByRole("status");
  expect(status.textContent).toContain("If an account exists for this address");
  expect(status.textContent).not.toContain(email);
  expect(calls).toEqual([{ path: "/api/auth/request-password-reset", body: { email } }]);
  expect(screen.queryByLabelText("E-mail")).toBeNull();
});

test("a refusal is shown above the form, which keeps the address and can be sent again", async () => {
  answerAuth(429, { message: "Too many requests. Try again in a minute." });
  const { user } = renderConsole(<LostPasswordForm />);
  await user.type(field(), `${email}{Enter}`);
  expect((await screen.findByRole("alert")).textContent).toBe("Too many requests. Try again in a minute.");
  expect(field().value).toBe(email);
  answerAuth(200, {});
  await user.click(screen.getByRole("button", { name: "Send reset link" }));
  await screen.findByRole("status");
  await waitFor(() => expect(screen.queryByRole("alert")).toBeNull());
});

test("the way back leads to the sign-in", () => {
  renderConsole(<LostPasswordForm />);
  expect(screen.getByRole("link", { name: "Back to sign in" }).getAttribute("href")).toBe("/sign-in");
});
