import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { activityRanges } from "#contract/activity.ts";
import { Role } from "#contract/permission.ts";
import { permissionsOf } from "#test/console/permissions.ts";
import { periodChoices } from "../(console)/evidence/_components/flow-filters.ts";
import { rangeChoices as logRanges } from "../(console)/logs/_components/log-filters.ts";
import { rangeNames } from "../(console)/usage/_components/days.ts";
import { creationsOf, headingOf, paletteScreensOf, pathWithRange, sidebarOf } from "./navigation.ts";

const accessOf = (role: string, operator = false) => ({ permissions: [...permissionsOf(role)], operator });
const everything = accessOf("owner", true);
const placesOf = (access: ReturnType<typeof accessOf>) =>
  [...paletteScreensOf(access), ...creationsOf(access)].map(({ path }) => path);

describe("every screen of the palette", () => {
  test.each(paletteScreensOf(everything))("$path has a page and a description", ({ path, description }) => {
    const folders = [`src/app/(console)${path}`, `src/app${path}`];
    expect(
      folders.some((folder) => existsSync(`${folder}/page.tsx`)),
      path,
    ).toBe(true);
    expect(description).not.toBe("");
  });

  test("is listed once", () => {
    const paths = placesOf(everything);
    expect(new Set(paths).size).toBe(paths.length);
  });

  test("those of the sidebar are among them and have a heading", () => {
    const paths = paletteScreensOf(everything).map(({ path }) => path);
    for (const { path } of sidebarOf(everything)) expect(paths).toContain(path);
    expect(headingOf("/keys").title).not.toBe("");
  });
});

describe("a link of the sidebar", () => {
  test("leads to the time range of the screen it is on, if the other screen has it", () => {
    expect(pathWithRange("/logs", "7d")).toBe("/logs?range=7d");
    expect(pathWithRange("/evidence", "90d")).toBe("/evidence?range=90d");
    for (const range of [null, "custom", "90d"]) expect(pathWithRange("/logs", range)).toBe("/logs");
    expect(pathWithRange("/keys", "7d")).toBe("/keys");
  });

  test.each([
    ["/overview", Object.keys(activityRanges)],
    ["/logs", ["24h", ...logRanges.map(({ value }) => value)]],
    ["/usage", rangeNames],
    ["/evidence", ["7d", ...periodChoices.map(({ value }) => value)]],
  ] as const)("of %s knows the ranges of the screen", (path, ranges) => {
    const known = ranges.filter((range) => pathWithRange(path, range) !== path);
    expect(known).toEqual(ranges.filter((range) => range !== "custom"));
  });
});

describe("what each role is shown", () => {
  const creating = ["/routing-rules?edit=new", "/keys?create=true"];
  const administering = [
    "/destinations?add=choose",
    "/budgets?edit=new",
    "/alerts?edit=new",
    "/alerts/channels?edit=new",
    "/providers/own?add=provider",
    "/providers/own",
    "/providers/credentials?add=choose",
    "/providers/credentials",
  ];
  const hidden: Record<Role, readonly string[]> = {
    owner: [],
    admin: [],
    member: administering,
    viewer: [...administering, ...creating, "/playground"],
  };

  test.each(Role.options)("%s", (role) => {
    const shown = new Set(placesOf(accessOf(role)));
    const missing = placesOf(everything).filter((path) => !shown.has(path));
    expect(missing).toEqual(
      expect.arrayContaining([...hidden[role], "/settings/organisations", "/providers/updates"]),
    );
    for (const path of [...creating, "/playground", "/keys", "/logs"])
      expect(missing.includes(path), path).toBe(hidden[role].includes(path));
  });

  test("the operator sees all organisations and catalogue updates, and nothing else besides", () => {
    const usual = new Set(placesOf(accessOf("viewer")));
    expect(placesOf(accessOf("viewer", true)).filter((path) => !usual.has(path))).toEqual([
      "/providers/updates",
      "/settings/organisations",
    ]);
  });

  test("without a session nothing can be created", () => {
    expect(creationsOf({ permissions: [], operator: false })).toEqual([]);
  });
});
