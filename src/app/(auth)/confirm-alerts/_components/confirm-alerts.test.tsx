import { screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { renderConsole } from "#test/console/render.tsx";
import { refusing } from "#test/console/server.ts";
import { ConfirmAlerts } from "./confirm-alerts.tsx";

const confirmed = { address: "ada@example.eu", organisation: "Acme" };
const visit = (hash: string, confirm: () => { data: typeof confirmed } = () => ({ data: confirmed })) => {
  window.location.hash = hash;
  return renderConsole(<ConfirmAlerts />, { answers: { alertChannels: { confirm } } });
};
afterEach(() => {
  window.location.hash = "";
  sessionStorage.clear();
});

test("opening the link confirms nothing; the button does, once", async () => {
  const { user, server } = visit("#secret-token");
  const button = await screen.findByRole("button", { name: "Confirm" });
  expect(server.inputsOf("alertChannels.confirm")).toEqual([]);
  expect(window.location.hash).toBe("");
  await user.click(button);
  expect((await screen.findByRole("status")).textContent).toContain("ada@example.eu gets alerts of Acme");
  expect(server.inputsOf("alertChannels.confirm")).toEqual([{ token: "secret-token" }]);
  expect(screen.queryByRole("button", { name: "Confirm" })).toBeNull();
});

test("a link that cannot be used says so", async () => {
  const { user } = visit("#used", refusing("NOT_FOUND", "This link is unknown, used or expired."));
  await user.click(await screen.findByRole("button", { name: "Confirm" }));
  expect((await screen.findByRole("alert")).textContent).toContain("unknown, used or expired");
  expect(screen.queryByRole("button", { name: "Confirm" })).toBeNull();
});

test("without a link the page says what is missing", async () => {
  visit("");
  expect(await screen.findByText("Open this page with the link from your mail.")).toBeTruthy();
});
