import { expect, test } from "vitest";
import { contentParts, contentText } from "./content-parts.ts";

const url = "data:image/png;base64,AA==";

test.each([
  ["Hello", "Hello"],
  ["", ""],
  [[{ type: "text", text: "one" }], "one"],
  [[{ text: "one" }, { text: "two" }], "one\ntwo"],
  [[{ text: "one" }, { type: "image_url", image_url: { url } }], null],
  [[{ text: "one" }, { type: "input_audio", input_audio: {} }], null],
  [[], null],
  [null, null],
  [undefined, null],
  [{ text: "one" }, null],
])("the content %j has the text %j", (content, text) => {
  expect(contentText(content)).toBe(text);
});

test.each([
  [[{ type: "image_url", image_url: { url } }], { text: "", images: [url] }],
  [
    [
      { type: "input_text", text: "one" },
      { type: "input_image", image_url: url },
    ],
    { text: "one", images: [url] },
  ],
  [[{ type: "input_image", file_id: "file-1" }], null],
])("the content %j has the parts %j", (content, parts) => {
  expect(contentParts(content)).toEqual(parts);
});
