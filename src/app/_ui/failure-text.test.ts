import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { FailureText } from "./failure-text.tsx";

const shown = (code: string, message: string) =>
  renderToStaticMarkup(createElement(FailureText, { failure: { code, message } }));

test("an ended session is named as such, with a link to sign in that keeps what is typed", () => {
  const html = shown("UNAUTHORIZED", "Send your API key as `Authorization: Bearer <key>`");
  expect(html).toContain("Your session has ended.");
  expect(html).toMatch(/<a (?=[^>]*href="\/sign-in")(?=[^>]*target="_blank")/);
  expect(html).not.toContain("API key");
});

test("any other failure shows the message of the server", () => {
  expect(shown("CONFLICT", "The name is taken")).toContain("The name is taken");
});
