import { expect, test } from "vitest";
import { contentText } from "./content-text.ts";

test.each([
  ["Hello", "Hello"],
  ["", ""],
  [[{ type: "text", text: "one" }], "one"],
  [[{ text: "one" }, { text: "two" }], "one\ntwo"],
  [[{ text: "one" }, { type: "image_url", image_url: {} }], null],
  [[], null],
  [null, null],
  [undefined, null],
  [{ text: "one" }, null],
])("the content %j has the text %j", (content, text) => {
  expect(contentText(content)).toBe(text);
});
