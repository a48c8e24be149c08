import { fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { CurrentSession } from "#contract/overview.ts";
import type { Role } from "#contract/permission.ts";
import { renderConsole } from "#test/console/render.tsx";
import type { Answers } from "#test/console/server.ts";
import { openPalette } from "./lazy.tsx";
import { Shell } from "./shell.tsx";

const nordwind = { id: "018f0000-0000-7000-8000-00000000000a", name: "Nordwind" };
const suedwind = { id: "018f0000-0000-7000-8000-00000000000b", name: "Südwind" };
const twoOrganisations = { organisations: [nordwind, suedwind] };

interface ShellOptions {
  readonly role?: Role;
  readonly session?: Partial<CurrentSession>;
  readonly sessionAnswers?: NonNullable<Answers["session"]>;
  readonly searchAnswers?: NonNullable<Answers["search"]>;
}

function shell({
  role = "owner",
  session = {},
  sessionAnswers = {},
  searchAnswers = { all: () => ({ data: [] }) },
}: ShellOptions = {}) {
  return renderConsole(<Shell>The screen</Shell>, {
    role,
    session,
    pathname: "/keys",
    answers: { session: sessionAnswers, search: searchAnswers },
  });
}

let assign = vi.spyOn(window.location, "assign");
beforeEach(() => {
  localStorage.clear();
  assign = vi.spyOn(window.location, "assign").mockImplementation(() => {});
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe("the palette", () => {
  const search = () => screen.findByLabelText("Search commands");
  const found = (label: string) => screen.findByRole("button", { name: new RegExp(label) });

  async function palette(options: ShellOptions = {}) {
    const made = shell(options);
    await screen.findByText("Nordwind");
    await openPalette();
    await search();
    return made;
  }

  test("opens by the button of the header", async () => {
    const { user } = shell();
    const [button] = screen.getAllByRole("button", { name: /^Search/ });
    await user.click(button ?? document.body);
    expect(await search()).toBeTruthy();
  });

  test("opens by mod+K from anywhere", async () => {
    shell();
    await screen.findByText("Nordwind");
    await waitFor(() => {
      fireEvent.keyDown(document.documentElement, { key: "k", code: "KeyK", ctrlKey: true });
      expect(screen.queryByRole("dialog")).not.toBeNull();
    });
  });

  test("goes to a screen found by its description", async () => {
    const { user, visited } = await palette();
    await user.type(await search(), "approved");
    await user.click(await found("Connected apps"));
    expect(visited).toEqual(["/keys/apps"]);
  });

  test("opens the form of what can be created", async () => {
    const { user, visited } = await palette();
    await user.click(await found("Create an API key"));
    expect(visited).toEqual(["/keys?create=true"]);
  });

  test("offers a viewer nothing to create", async () => {
    await palette({ role: "viewer" });
    await found("Overview");
    expect(screen.queryByRole("button", { name: /Create an API key/ })).toBeNull();
  });

  test("says when nothing is found", async () => {
    const { user } = await palette();
    await user.type(await search(), "no such screen");
    expect(await screen.findByText("No results")).toBeTruthy();
  });

  test("finds things by name or ID, opens them, and offers them again later", async () => {
    const hit = { kind: "API key", id: "abc", name: "Crawler", path: "/keys?open=abc" };
    const { user, visited, server } = await palette({ searchAnswers: { all: () => ({ data: [hit] }) } });
    await user.type(await search(), "abc");
    await user.click(await found("Crawler"));
    expect(visited).toEqual(["/keys?open=abc"]);
    expect(server.inputsOf("search.all").at(-1)).toEqual({ text: "abc" });
    await openPalette();
    await found("Crawler");
  });

  test("shows what an ID found, though its name does not contain it", async () => {
    const hit = { kind: "Request", id: "018f", name: "m/one", path: "/logs?open=018f" };
    const { user } = await palette({ searchAnswers: { all: () => ({ data: [hit] }) } });
    await user.type(await search(), "session-7");
    await found("m/one");
  });

  test("switches to another organisation, and never to the current one", async () => {
    const { user, server } = await palette({
      session: twoOrganisations,
      sessionAnswers: { switchOrganisation: () => ({ org_id: suedwind.id }) },
    });
    expect(screen.queryByRole("button", { name: /Switch to Nordwind/ })).toBeNull();
    await user.click(await found("Switch to Südwind"));
    await waitFor(() => expect(assign).toHaveBeenCalledExactlyOnceWith("/overview"));
    expect(server.inputsOf("session.switchOrganisation")).toEqual([{ org_id: suedwind.id }]);
  });

  test("changes the theme", async () => {
    const { user } = await palette();
    await user.click(await found("Theme: Dark"));
    expect(document.documentElement.getAttribute("data-mantine-color-scheme")).toBe("dark");
  });
});
