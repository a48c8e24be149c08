import { expect, test } from "vitest";
import { parseDocument } from "./documents.ts";
import { findIn } from "./find.ts";

const document = (path: string, text: string) => parseDocument(`${path.slice(1)}.md`, path, text);
const documents = [
  document("/docs/adr/one", "# Retention of logs\n\nZero retention was chosen.\n"),
  document(
    "/docs/guides/rule",
    `# First rule\n\nRequests stay in the EU.\n\n## Zero retention\n\n${"Some words. ".repeat(40)}\n\n| Field | Meaning |\n| --- | --- |\n| \`zdr\` | zero retention at the provider |\n`,
  ),
  document("/docs/billing", "# Billing\n\n- Credit & amounts\n- Retention of the ledger\n"),
];
const found = (query: string) => findIn(documents, query).map(({ href }) => href);

test("sections are found that have all words, in any order and case, also in tables and lists", () => {
  expect(found("EU")).toEqual(["/docs/guides/rule"]);
  expect(found("provider ZDR")).toEqual(["/docs/guides/rule#zero-retention"]);
  expect(found("ledger credit")).toEqual(["/docs/billing"]);
  expect(found("credit & amounts")).toEqual(["/docs/billing"]);
  expect(found("zero nothing")).toEqual([]);
  expect(found("ledger eu")).toEqual([]);
});

test("sections whose heading has the words come first, and decisions after guides", () => {
  expect(found("retention")).toEqual(["/docs/guides/rule#zero-retention", "/docs/adr/one", "/docs/billing"]);
});

test("a document is found whose sections have the words only together", () => {
  expect(found("stay zdr")).toEqual(["/docs/guides/rule"]);
});

test("an empty search finds nothing", () => {
  expect(found("")).toEqual([]);
  expect(found("  ")).toEqual([]);
});

test("a place is shown with the text around the first word", () => {
  const [{ title, heading, excerpt } = { title: "", heading: "", excerpt: "" }] = findIn(documents, "zdr");
  expect([title, heading]).toEqual(["First rule", "Zero retention"]);
  expect(excerpt).toMatch(/^… .*zdr zero retention at the provider$/);
  expect(excerpt.length).toBeLessThan(180);
});
