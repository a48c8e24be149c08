import { expect, test } from "vitest";
import { boundsText, wordsFor } from "./field-words.ts";

type Flag = Exclude<keyof ValidityState, "valid">;

/** An input with one thing wrong, which a browser would find out itself. */
function inputWith(flag: Flag, attributes: Readonly<Record<string, string>> = {}): HTMLInputElement {
  const input = document.createElement("input");
  for (const [name, value] of Object.entries(attributes)) input.setAttribute(name, value);
  Object.defineProperty(input, "validity", { value: { valid: false, [flag]: true } });
  return input;
}

test.each<[Flag, Record<string, string>, string]>([
  ["valueMissing", {}, "Required."],
  ["valueMissing", { type: "checkbox" }, "Check this box to continue."],
  ["typeMismatch", { type: "email" }, "Enter an e-mail address such as ada@example.eu."],
  ["typeMismatch", { type: "url" }, "Enter a URL such as https://example.eu."],
  ["badInput", { type: "number" }, "Enter a number."],
  ["badInput", { type: "date" }, "Enter a complete date."],
  ["tooShort", { minlength: "8" }, "Enter at least 8 characters."],
  ["tooLong", { maxlength: "9" }, "Enter at most 9 characters."],
  ["rangeUnderflow", { type: "number", min: "1", max: "5" }, "Enter a number from 1 to 5."],
  ["rangeUnderflow", { type: "number", min: "1" }, "Enter a number of at least 1."],
  ["rangeOverflow", { type: "number", max: "5" }, "Enter a number of at most 5."],
  ["rangeOverflow", { type: "date", max: "2026-11-28" }, "Enter a date up to 2026-11-28."],
  ["rangeUnderflow", { type: "date", min: "2026-11-28" }, "Enter a date from 2026-11-28 on."],
  ["stepMismatch", { type: "number", step: "1" }, "Enter a whole number."],
  ["patternMismatch", { pattern: "[0-9]+", title: "Euros such as 25" }, "Euros such as 25."],
  ["patternMismatch", { pattern: "[0-9]+" }, "Enter a valid value."],
])("%s of %j is put in words", (flag, attributes, words) => {
  expect(wordsFor(inputWith(flag, attributes))).toBe(words);
});

test("a message that the form set is used as it is, and a valid field has none", () => {
  const input = document.createElement("input");
  expect(wordsFor(input)).toBeNull();
  input.setCustomValidity("Passwords differ.");
  expect(wordsFor(input)).toBe("Passwords differ.");
});

test("bounds are named as far as there are any", () => {
  expect(boundsText(0, 5)).toBe("from 0 to 5");
  expect(boundsText("", 5)).toBe("of at most 5");
});
