import { screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { Explanation } from "#contract/explanation.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { renderConsole } from "#test/console/render.tsx";
import { WhyCard } from "./why-card.tsx";

const candidate = (more: Partial<Explanation["models"][number]["candidates"][number]>) => ({
  ...{ endpoint: "alpha:m/one", provider: "alpha", place: "France", retention: "not stored", rank: null },
  ...{ price: { currency: "EUR" as const, input: "0.15", output: "1.25" }, role: "excluded" as const },
  ...{ reason_code: null, reason: null, set_by: null },
  ...more,
});
const full: Explanation = {
  generation_id: "018f0000-0000-7000-8000-0000000000cc",
  summary: "alpha served it from France. 2 of 3 endpoints were admitted.",
  model_requested: "m/one",
  rules: [
    {
      ...{ id: "018f0000-0000-7000-8000-0000000000dd", name: "EU only", scope: "org" },
      ...{ requirements: ["runs in the EU"], changed_at: "2026-11-03T09:00:00.000Z", changed_by: "Ada" },
    },
    {
      ...{ id: "018f0000-0000-7000-8000-0000000000ee", name: null, scope: "user", requirements: [] },
      ...{ changed_at: null, changed_by: null },
    },
  ],
  rule_count: 4,
  requirements: ["runs in the EU"],
  models: [
    {
      ...{ model: "m/one", order: "The lowest price first." },
      candidates: [
        candidate({ rank: 1, role: "served" }),
        candidate({ endpoint: "beta:m/one", rank: 2, role: "not_tried", price: null }),
        candidate({
          ...{ endpoint: "gamma:m/one", place: "United States", reason_code: "data_region" },
          ...{ reason: "it runs in United States, not in the EU", set_by: "“EU only”" },
        }),
      ],
    },
  ],
  attempts: [],
  parameters: ["Not sent, because the endpoint does not support it: seed"],
  cost: "€0.0001 for 10 input and 2 output tokens.",
  has_facts: true,
};

test("the card shows rules, every endpoint with its facts, and the reason of each exclusion", () => {
  renderConsole(<WhyCard explanation={full} />);
  const rules = screen.getByRole("region", { name: "Rules" });
  expect(within(rules).getByRole("link", { name: "EU only" }).getAttribute("href")).toBe(
    "/routing-rules?edit=018f0000-0000-7000-8000-0000000000dd",
  );
  expect(rules.textContent).toMatch(/EU only: runs in the EUfor the organisation, set by Ada on 3 Nov 2026/);
  expect(rules.textContent).toContain("A rule that was deleted or that you may not see");
  expect(rules.textContent).toContain("and 2 wider ones");
  const rows = within(screen.getByRole("table", { name: "Endpoints of m/one" })).getAllByRole("row");
  expect(rows.map((row) => [...row.children].map(({ textContent }) => textContent))).toEqual([
    ["Endpoint", "Country", "Per million tokens", "Prompts stored", "Result"],
    ["1. alphaFrance", "France", "€0.15 / €1.25", "not stored", "served it"],
    ["2. betaFrance", "France", "–", "not stored", "not needed"],
    [
      ...["gammaUnited States", "United States", "€0.15 / €1.25", "not stored"],
      "it runs in United States, not in the EUset by “EU only”",
    ],
  ]);
  screen.getByText(/Not sent, because the endpoint does not support it: seed/);
  screen.getByText("Cost: €0.0001 for 10 input and 2 output tokens.");
});

test("without facts of that time the card says so, and has no empty columns", () => {
  const models = full.models.map((model) => ({
    ...model,
    candidates: model.candidates.map((one) => ({ ...one, place: null, retention: null, price: null })),
  }));
  renderConsole(<WhyCard explanation={{ ...full, models, has_facts: false }} />);
  expect(screen.getAllByRole("columnheader").map(({ textContent }) => textContent)).toEqual([
    "Endpoint",
    "Result",
  ]);
  screen.getByText(/are not recorded for this request/);
});

test("a request that was refused before routing has only its summary", () => {
  const refused = { ...full, summary: "No provider was asked.", models: [], rules: [], rule_count: 0 };
  renderConsole(<WhyCard explanation={refused} />);
  screen.getByText("No provider was asked.");
  expect(screen.queryByRole("table")).toBeNull();
});

test.each(["always", "never"] as const)("nothing that may be missing reads as null (%s)", (gaps) => {
  renderConsole(<WhyCard explanation={sampleOf(Explanation, { gaps })} />);
  expect(document.body.textContent).not.toMatch(/undefined|\bnull\b|NaN|Invalid Date|\[object/);
});
