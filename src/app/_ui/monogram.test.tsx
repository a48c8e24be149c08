import { render } from "@testing-library/react";
import fc from "fast-check";
import { expect, test } from "vitest";
import { initialsOf, Monogram } from "./monogram.tsx";

test.each([
  ["Mistral AI", "MA"],
  ["Nebius", "NE"],
  ["LangSmith", "LS"],
  ["01.ai", "0A"],
  ["Éts. Überall", "ÉÜ"],
  ["x", "X"],
  ["", ""],
  ["— –", ""],
])("the initials of %j are %j", (name, initials) => {
  expect(initialsOf(name)).toBe(initials);
});

test("no name has more than a few letters, or half a character", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (name) => {
      const initials = initialsOf(name);
      expect(initials.isWellFormed()).toBe(true);
      // Some letters are two in capitals.
      expect([...initials].length).toBeLessThanOrEqual(6);
    }),
  );
});

test("the same seed has the same colour, and nobody hears the initials", () => {
  const { container } = render(
    <>
      <Monogram name="Mistral AI" seed="mistral" />
      <Monogram name="Mistral" seed="mistral" />
    </>,
  );
  const [first, second] = container.querySelectorAll("span");
  expect(first?.style.getPropertyValue("--hue")).toBe(second?.style.getPropertyValue("--hue"));
  expect(first?.getAttribute("aria-hidden")).toBe("true");
});
