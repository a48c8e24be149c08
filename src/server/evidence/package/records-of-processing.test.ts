import { expect, test } from "vitest";
import { limits } from "#server/platform/limits.ts";
import { KnownDocuments } from "./known-documents.ts";
import { recordsOfProcessing } from "./records-of-processing.ts";
import { Counts } from "./summary.ts";

const database = {} as never;
const counts = new Counts(
  new KnownDocuments({ database, adequacyOff: new Set() }, "o", limits.evidencePackages.bounds),
);
const summary = counts.summary({
  ...{ orgId: "o", rules: [], unrecorded: 0, recordsFrom: null },
  filter: { from: "2026-10-01T00:00:00.000Z", to: "2026-11-01T00:00:00.000Z" },
});

test("the record has every part of Art. 30(1), and says what the organisation has to complete", () => {
  const text = recordsOfProcessing(summary);
  for (const part of ["(a)", "(b)", "(c)", "(d)", "(e)", "(f)", "(g)"])
    expect(text).toMatch(new RegExp(`^## .*\\${part.slice(0, -1)}\\)$`, "m"));
  expect(text.match(/\[to be completed: /g)?.length).toBeGreaterThan(6);
  expect(text).toContain("No request was sent outside the EU and the EEA in this period.");
});

test("names of providers cannot change the tables", () => {
  const evil = {
    slug: "x",
    name: "A | B\n| C",
    legal_entity: "B | C GmbH",
    headquarters: null,
    dpa_url: null,
    data_policy_url: null,
  };
  const text = recordsOfProcessing({
    ...summary,
    sub_processors: [{ ...evil, requests: 1, first_at: "", last_at: "" }],
  });
  expect(text).toContain(
    String.raw`| A \| B \| C | B \| C GmbH | – | 1 | [to be completed: agreement] | – |`,
  );
});
