import { describe, expect, test } from "vitest";
import { tagValuesOf } from "./tag-values.ts";

const request = {
  endUser: "ada",
  app: "Chat",
  metadata: { team: " Research ", secret: `sk-${"a1B2".repeat(10)}`, lines: "a\n\tb", empty: " ", count: 3 },
};

describe("the values of tags", () => {
  test("are read for the chosen names only, and without any nothing is made", () => {
    expect(tagValuesOf(["end_user", "metadata.team"], request)).toEqual({
      end_user: "ada",
      "metadata.team": "Research",
    });
    expect(tagValuesOf(undefined, request)).toBeUndefined();
    expect(tagValuesOf(["metadata.missing", "metadata.empty", "metadata.count"], request)).toBeUndefined();
    expect(tagValuesOf(["app"], { ...request, app: null })).toBeUndefined();
  });

  test("that were read before are not read again", () => {
    const known = { "metadata.team": "Known" };
    const values = tagValuesOf(new Set(["metadata.team", "end_user"]), request, known);
    expect(values).toEqual({ "metadata.team": "Known", end_user: "ada" });
  });

  test("contain no secret, no line break and 200 characters at most", () => {
    const values = tagValuesOf(["metadata.secret", "metadata.lines", "app"], {
      ...request,
      app: "x".repeat(300),
    });
    expect(values?.["metadata.secret"]).not.toContain("a1B2a1B2");
    expect(values?.["metadata.lines"]).toBe("a b");
    expect(values?.app).toHaveLength(200);
  });

  test.each(["toString", "__proto__", "constructor"])(
    "are no properties that every object has: %s",
    (key) => {
      expect(tagValuesOf([`metadata.${key}`], request)).toBeUndefined();
    },
  );
});
