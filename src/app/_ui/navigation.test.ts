import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { Role } from "#contract/permission.ts";
import { permissionsOf } from "#test/console/permissions.ts";
import { creationsOf, headingOf, paletteScreensOf, sidebarOf } from "./navigation.ts";

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
