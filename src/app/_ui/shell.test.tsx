import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { CurrentSession } from "#contract/overview.ts";
import { Role } from "#contract/permission.ts";
import { renderConsole } from "#test/console/render.tsx";
import { type Answers, never, Refusal } from "#test/console/server.ts";
import { Shell } from "./shell.tsx";

const nordwind = { id: "018f0000-0000-7000-8000-00000000000a", name: "Nordwind" };
const suedwind = { id: "018f0000-0000-7000-8000-00000000000b", name: "Südwind" };
const twoOrganisations = { organisations: [nordwind, suedwind] };

interface ShellOptions {
  readonly role?: Role;
  readonly session?: Partial<CurrentSession>;
  readonly sessionAnswers?: NonNullable<Answers["session"]>;
  readonly pathname?: string;
}

function shell({ role = "owner", session = {}, sessionAnswers = {}, pathname = "/keys" }: ShellOptions = {}) {
  return renderConsole(<Shell>The screen</Shell>, {
    role,
    session,
    pathname,
    answers: { session: sessionAnswers },
  });
}
const sidebar = () => within(screen.getByRole("navigation", { name: "Screens" }));
const linkNames = () =>
  sidebar()
    .getAllByRole("link")
    .map((link) => link.textContent);
const accountMenu = async (user: ReturnType<typeof shell>["user"]) => {
  await screen.findByText("Nordwind");
  await waitFor(() =>
    expect(screen.getByRole("button", { name: "Account" }).hasAttribute("disabled")).toBe(false),
  );
  await user.click(screen.getByRole("button", { name: "Account" }));
  return within(await screen.findByRole("menu"));
};

let assign = vi.spyOn(window.location, "assign");
beforeEach(() => {
  assign = vi.spyOn(window.location, "assign").mockImplementation(() => {});
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe("the sidebar", () => {
  const everybody = [
    "Overview",
    "Logs",
    "Routing rules",
    "Presets",
    "Models",
    "Providers",
    "Destinations",
    "API keys",
    "Usage and credits",
    "Budgets",
    "Alerts",
    "Settings",
    "Documentation",
  ];

  test.each(Role.options)("of a person who is %s has every screen they may open", async (role) => {
    shell({ role });
    await screen.findByText("Nordwind");
    const [shown, isAdmin] = [linkNames(), role === "owner" || role === "admin"];
    const restricted = [...(role === "viewer" ? [] : ["Playground"]), ...(isAdmin ? ["Evidence"] : [])];
    expect(shown.filter((name) => everybody.includes(name))).toEqual(everybody);
    expect(shown.filter((name) => !everybody.includes(name))).toEqual(restricted);
  });

  test.each([
    ["/keys", "API keys"],
    ["/keys/apps", "API keys"],
    ["/settings/members", "Settings"],
  ])("on %s marks %s, and nothing else, as the current screen", async (pathname, name) => {
    shell({ pathname });
    await screen.findByText("Nordwind");
    const current = sidebar()
      .getAllByRole("link")
      .filter((link) => link.getAttribute("aria-current") === "page");
    expect(current.map((link) => link.textContent)).toEqual([name]);
  });

  test("opens and closes on a narrow screen, and says which of them the button does", async () => {
    const { user } = shell();
    // The test's screen is wide: the button is there, and hidden by its class.
    const button = (name: string) => screen.findByLabelText(name);
    const open = await button("Open navigation");
    expect(open.getAttribute("aria-expanded")).toBe("false");
    await user.click(open);
    const close = await button("Close navigation");
    expect(close.getAttribute("aria-expanded")).toBe("true");
    fireEvent.click(sidebar().getByRole("link", { name: "Logs" }));
    expect((await button("Open navigation")).getAttribute("aria-expanded")).toBe("false");
  });

  test("is left out by keyboard: the first link leads to the content", () => {
    shell();
    const [first] = screen.getAllByRole("link");
    expect(first?.textContent).toBe("Skip to content");
    const target = first?.getAttribute("href")?.slice(1) ?? "";
    expect(document.getElementById(target)?.textContent).toBe("The screen");
  });
});

describe("without a session", () => {
  const signedOut = {
    get: () => {
      throw new Refusal("UNAUTHORIZED", "Sign in first");
    },
  };

  test("a public page has a way to sign in, and no account", async () => {
    shell({ sessionAnswers: signedOut, pathname: "/docs" });
    const link = await screen.findByRole("link", { name: "Sign in" });
    expect(link.getAttribute("href")).toBe("/sign-in");
    expect(screen.queryByRole("button", { name: "Account" })).toBeNull();
    expect(screen.queryByText("Nordwind")).toBeNull();
  });

  test("while it is not known yet nobody is asked to sign in", () => {
    shell({ sessionAnswers: { get: never } });
    expect(screen.queryByRole("link", { name: "Sign in" })).toBeNull();
    expect(screen.queryByRole("button", { name: "Account" })).toBeNull();
    expect(screen.getByText("The screen")).toBeTruthy();
  });

  test("an unreachable server is not taken for a missing session", async () => {
    const { server } = shell({
      sessionAnswers: {
        get: () => {
          throw new Refusal("SERVICE_UNAVAILABLE", "Restarting");
        },
      },
    });
    await waitFor(() => expect(server.inputsOf("session.get").length).toBeGreaterThan(0));
    expect(screen.queryByRole("link", { name: "Sign in" })).toBeNull();
  });
});

describe("the account menu", () => {
  test("names the person, their role and their organisation", async () => {
    const { user } = shell({ role: "admin" });
    const menu = await accountMenu(user);
    expect(menu.getByText("admin@nordwind.example")).toBeTruthy();
    expect(menu.getByText("admin of Nordwind")).toBeTruthy();
    expect(menu.queryByText("Organisation")).toBeNull();
  });

  test("switches the organisation on the server, then loads the console again", async () => {
    const { user, server } = shell({
      session: twoOrganisations,
      sessionAnswers: { switchOrganisation: () => ({ org_id: suedwind.id }) },
    });
    const menu = await accountMenu(user);
    expect(menu.getByRole("menuitem", { name: "Nordwind" }).getAttribute("aria-current")).toBe("true");
    expect(menu.getByRole("menuitem", { name: "Südwind" }).getAttribute("aria-current")).toBeNull();
    await user.click(menu.getByRole("menuitem", { name: "Südwind" }));
    await waitFor(() => expect(assign).toHaveBeenCalledExactlyOnceWith("/overview"));
    expect(server.inputsOf("session.switchOrganisation")).toEqual([{ org_id: suedwind.id }]);
  });

  test("stays where it is when the server refuses to switch", async () => {
    const { user, server } = shell({
      session: twoOrganisations,
      sessionAnswers: {
        switchOrganisation: () => {
          throw new Refusal("FORBIDDEN", "Not a member");
        },
      },
    });
    const menu = await accountMenu(user);
    await user.click(menu.getByRole("menuitem", { name: "Südwind" }));
    await waitFor(() => expect(server.inputsOf("session.switchOrganisation")).toHaveLength(1));
    expect(assign).not.toHaveBeenCalled();
  });

  test("signs out on the server before it leaves", async () => {
    const fetched: string[] = [];
    vi.stubGlobal("fetch", async (path: string) => {
      fetched.push(path);
      expect(assign).not.toHaveBeenCalled();
      return new Response("{}");
    });
    const { user } = shell();
    const menu = await accountMenu(user);
    await user.click(menu.getByRole("menuitem", { name: "Sign out" }));
    await waitFor(() => expect(assign).toHaveBeenCalledExactlyOnceWith("/sign-in"));
    expect(fetched).toEqual(["/api/auth/sign-out"]);
  });

  test("reports that signing out failed, and stays", async () => {
    vi.stubGlobal("fetch", async () => new Response("{}", { status: 503 }));
    const { user } = shell();
    const menu = await accountMenu(user);
    await user.click(menu.getByRole("menuitem", { name: "Sign out" }));
    expect((await screen.findByText("Still signed in")).closest("[role=alert]")?.textContent).toContain(
      "Signing out failed",
    );
    expect(assign).not.toHaveBeenCalled();
  });
});

describe("the theme", () => {
  const scheme = () => document.documentElement.getAttribute("data-mantine-color-scheme");

  test.each([
    ["Light", "light"],
    ["Dark", "dark"],
  ])("%s is applied at once, stored in this browser and marked in the menu", async (label, value) => {
    const { user } = shell();
    await waitFor(() =>
      expect(screen.getByRole("button", { name: "Theme" }).hasAttribute("disabled")).toBe(false),
    );
    await user.click(screen.getByRole("button", { name: "Theme" }));
    await user.click(await screen.findByRole("menuitem", { name: label }));
    expect(scheme()).toBe(value);
    expect(localStorage.getItem("mantine-color-scheme-value")).toBe(value);
    await user.click(screen.getByRole("button", { name: "Theme" }));
    expect((await screen.findByRole("menuitem", { name: label })).getAttribute("aria-current")).toBe("true");
  });
});
