import { screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { ConsentView } from "#contract/authorization.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { recordPageLoads } from "#test/console/location.ts";
import { renderConsole } from "#test/console/render.tsx";
import { Refusal, requestId } from "#test/console/server.ts";
import { ConsentScreen } from "./consent-screen.tsx";

const request = {
  callback_url: "https://app.example/back",
  code_challenge: "c".repeat(43),
  code_challenge_method: "S256",
} as const;

function show(consent: () => ConsentView) {
  const loads = recordPageLoads();
  return {
    loads,
    ...renderConsole(<ConsentScreen request={request} />, { answers: { authorization: { consent } } }),
  };
}

test("who is not signed in signs in first, and comes back to the same request", async () => {
  window.history.replaceState(null, "", "/auth?callback_url=https%3A%2F%2Fapp.example%2Fback");
  const { loads } = show(() => {
    throw new Refusal("UNAUTHORIZED", "Sign in first");
  });
  await waitFor(() => expect(loads).toHaveLength(1));
  const next = new URL(loads[0] ?? "", "http://console.test").searchParams.get("next");
  expect(next).toBe("/auth?callback_url=https%3A%2F%2Fapp.example%2Fback");
  expect(screen.queryByRole("button", { name: "Allow" })).toBeNull();
  expect(screen.queryByRole("alert")).toBeNull();
  window.history.replaceState(null, "", "/");
});

test("a failure names the request, and loading can be tried again", async () => {
  let isFailing = true;
  const { user, loads } = show(() => {
    if (isFailing) throw new Refusal("INTERNAL_ERROR", "Out of order");
    return sampleOf(ConsentView, { gaps: "never" });
  });
  expect((await screen.findByRole("alert")).textContent).toContain(requestId);
  isFailing = false;
  await user.click(screen.getByRole("button", { name: "Try again" }));
  await screen.findByRole("button", { name: "Allow" });
  expect(loads).toEqual([]);
});
