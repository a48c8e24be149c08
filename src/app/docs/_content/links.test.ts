import { expect, test } from "vitest";
import { targetOf } from "./links.ts";

test.each([
  ["docs/guides/tags.md", "../billing.md#credit", { kind: "page", href: "/docs/billing#credit" }],
  ["docs/guides/tags.md", "budgets.md", { kind: "page", href: "/docs/guides/budgets" }],
  ["docs/guides/tags.md", "#limits", { kind: "page", href: "#limits" }],
  ["docs/README.md", "../SECURITY.md", { kind: "page", href: "/docs/security" }],
  ["SECURITY.md", "docs/threat-model.md", { kind: "page", href: "/docs/threat-model" }],
  ["docs/x.md", "https://example.eu/a#b", { kind: "site", href: "https://example.eu/a#b" }],
  ["docs/x.md", "../src/contract/errors.ts", { kind: "none" }],
  ["docs/x.md", "javascript:alert(1)", { kind: "none" }],
])("in %s, %s leads to the right place", (file, link, target) =>
  expect(targetOf(file, link)).toEqual(target),
);
