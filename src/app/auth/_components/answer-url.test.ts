import fc from "fast-check";
import { expect, test } from "vitest";
import { answerUrl } from "./answer-url.ts";

test("an app receives the answer byte for byte, and its own query is unchanged", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (state) => {
      const url = answerUrl("https://app.example.eu/cb?a=b%20c&d", { code: "x", state, error: undefined });
      expect(url.startsWith("https://app.example.eu/cb?a=b%20c&d&code=x&state=")).toBe(true);
      expect(new URL(url).searchParams.get("state")).toBe(state);
      expect(new URL(url).searchParams.has("error")).toBe(false);
    }),
  );
  expect(answerUrl("https://app.example.eu/", { code: "x" })).toBe("https://app.example.eu/?code=x");
});
