import { screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { ErrorCode } from "#contract/errors.ts";
import { renderConsole } from "#test/console/render.tsx";
import { type Answers, never, Refusal } from "#test/console/server.ts";
import { SessionGate } from "./session-gate.tsx";
import { Unsaved } from "./unsaved.tsx";

const organisation = (digit: number, name: string, suspended_reason: string | null) => ({
  id: `018f0000-0000-7000-8000-0000000000a${digit}`,
  name,
  suspended_reason,
});
const nordwind = organisation(1, "Nordwind", "Unpaid invoices");
const suedwind = organisation(2, "Südwind", null);

const refuse = (code: ErrorCode, message = "Refused") => ({
  get: () => {
    throw new Refusal(code, message);
  },
});
const gate = (session: NonNullable<Answers["session"]>, pathname = "/keys", edited = false) =>
  renderConsole(
    <SessionGate>
      <Unsaved when={edited} />
      The screen
    </SessionGate>,
    {
      pathname,
      answers: { session: { organisations: () => [nordwind], ...session } },
    },
  );
const content = () => screen.queryByText("The screen");

let [replace, assign] = [vi.spyOn(window.location, "replace"), vi.spyOn(window.location, "assign")];
beforeEach(() => {
  replace = vi.spyOn(window.location, "replace").mockImplementation(() => {});
  assign = vi.spyOn(window.location, "assign").mockImplementation(() => {});
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe("without a session", () => {
  test("a screen is left for the sign-in page, which leads back to it", async () => {
    const { server } = gate(refuse("UNAUTHORIZED"));
    await waitFor(() => expect(replace).toHaveBeenCalledOnce());
    const { pathname, search } = window.location;
    expect(replace).toHaveBeenCalledWith(`/sign-in?next=${encodeURIComponent(pathname + search)}`);
    await waitFor(() => expect(content()).toBeNull());
    expect(server.inputsOf("session.get")).toHaveLength(1);
  });

  test("a screen with unsaved changes stays, so that nothing typed is lost", async () => {
    const { server } = gate(refuse("UNAUTHORIZED"), "/keys", true);
    await waitFor(() => expect(server.inputsOf("session.get")).toHaveLength(1));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(replace).not.toHaveBeenCalled();
    expect(content()).not.toBeNull();
  });
});

describe("a screen is shown", () => {
  test.each([
    ["while the session is not known yet", { get: never }],
    ["while the server is unavailable", refuse("SERVICE_UNAVAILABLE")],
  ])("%s", async (_case, session) => {
    gate(session);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(content()).not.toBeNull();
    expect(replace).not.toHaveBeenCalled();
  });
});

describe("a suspended organisation", () => {
  const suspended = refuse("ORGANISATION_SUSPENDED", "Suspended: unpaid invoices");

  test("is named with the reason in the place of every screen", async () => {
    gate(suspended);
    expect(await screen.findByRole("heading", { name: "Nordwind is suspended" })).toBeTruthy();
    expect(screen.getByRole("alert").textContent).toBe("Suspended: unpaid invoices");
    expect(content()).toBeNull();
    expect(screen.getByRole("link", { name: "Your profile" }).getAttribute("href")).toBe("/settings");
  });

  test("leaves the person their profile", async () => {
    const { server } = gate(suspended, "/settings");
    await waitFor(() => expect(server.inputsOf("session.get")).toHaveLength(1));
    expect(content()).not.toBeNull();
    expect(screen.queryByRole("heading")).toBeNull();
  });

  test("is not named when there are several", async () => {
    gate({ ...suspended, organisations: () => [nordwind, { ...suedwind, suspended_reason: "Test" }] });
    expect(await screen.findByRole("heading", { name: "Your organisation is suspended" })).toBeTruthy();
    expect(screen.queryByRole("button", { name: /^Switch to/ })).toBeNull();
  });

  test("can be left for another one that is not suspended", async () => {
    const { user, server } = gate({
      ...suspended,
      organisations: () => [nordwind, suedwind],
      switchOrganisation: ({ org_id }) => ({ org_id }),
    });
    await user.click(await screen.findByRole("button", { name: "Switch to Südwind" }));
    await waitFor(() => expect(assign).toHaveBeenCalledExactlyOnceWith("/overview"));
    expect(server.inputsOf("session.switchOrganisation")).toEqual([{ org_id: suedwind.id }]);
    expect(screen.queryByRole("button", { name: "Switch to Nordwind" })).toBeNull();
  });

  test("that cannot be left says why", async () => {
    const { user } = gate({
      ...suspended,
      organisations: () => [nordwind, suedwind],
      switchOrganisation: () => {
        throw new Refusal("FORBIDDEN", "You are no longer a member");
      },
    });
    await user.click(await screen.findByRole("button", { name: "Switch to Südwind" }));
    expect(await screen.findByText("You are no longer a member")).toBeTruthy();
    expect(assign).not.toHaveBeenCalled();
  });

  test("lets the person sign out", async () => {
    const fetched: string[] = [];
    vi.stubGlobal("fetch", async (path: string) => {
      fetched.push(path);
      return new Response("{}");
    });
    const { user } = gate(suspended);
    await user.click(await screen.findByRole("button", { name: "Sign out" }));
    await waitFor(() => expect(assign).toHaveBeenCalledExactlyOnceWith("/sign-in"));
    expect(fetched).toEqual(["/api/auth/sign-out"]);
  });
});
