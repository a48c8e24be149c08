import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Permission, Role } from "#contract/permission.ts";
import { permissionsOf } from "#test/console/permissions.ts";
import { contentText } from "./content-parts.ts";
import { listOf, numberOf, recordOf, textOf } from "./json.ts";
import { permissionLabels } from "./permission-labels.ts";
import { isAdministrator, mayDecideAbout, roles, rolesUpTo } from "./roles.ts";

describe("permissions", () => {
  test("each one of the contract has a label of its own", () => {
    expect(Object.keys(permissionLabels).toSorted()).toEqual(Permission.options.toSorted());
    expect(new Set(Object.values(permissionLabels)).size).toBe(Permission.options.length);
  });
});

describe("roles", () => {
  test("each of the contract can be given, with what it means", () => {
    expect(roles.map(({ value }) => value)).toEqual(Role.options);
    for (const { label, about } of roles) expect([label, about]).not.toContain("");
  });

  test("their order is that of their permissions on the server", () => {
    for (const [at, { value }] of roles.entries())
      for (const { value: lower } of roles.slice(at))
        expect(
          [...permissionsOf(lower)].every((one) => permissionsOf(value).has(one)),
          `${value} ≥ ${lower}`,
        ).toBe(true);
  });

  test.each(Role.options)("%s gives no role above its own", (own) => {
    for (const other of Role.options) {
      const offered = rolesUpTo(own).some(({ value }) => value === other);
      expect(offered, other).toBe(mayDecideAbout(own, other));
      if (offered)
        expect([...permissionsOf(other)].filter((one) => !permissionsOf(own).has(one))).toEqual([]);
    }
  });

  test("owners and admins alone decide about others", () => {
    expect(Role.options.filter(isAdministrator)).toEqual(["owner", "admin"]);
  });
});

describe("JSON of unknown origin", () => {
  test("gives harmless values of the right kind, whatever it is", () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(Array.isArray(listOf(value))).toBe(true);
        expect(typeof textOf(value)).toBe("string");
        expect(Array.isArray(recordOf(value)) || recordOf(value) === null).toBe(false);
        const number = numberOf(value);
        expect(number === undefined || Number.isFinite(number)).toBe(true);
      }),
    );
  });

  test("the text of a message is its content, or the texts of its parts", () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1 }), (texts) => {
        expect(contentText(texts.map((text) => ({ type: "text", text })))).toBe(texts.join("\n"));
        expect(contentText(texts[0])).toBe(texts[0]);
      }),
    );
  });

  test.each([
    ["a picture among the parts", [{ text: "look" }, { type: "image_url" }]],
    ["no part", []],
    ["no content", null],
    ["a number", 3],
  ])("a message with %s has more than text", (_what, content) => {
    expect(contentText(content)).toBeNull();
  });
});
