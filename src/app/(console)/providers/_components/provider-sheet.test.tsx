import { screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { CatalogueProvider } from "#contract/catalogue-view.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { renderConsole } from "#test/console/render.tsx";
import { ProviderSheet } from "./provider-sheet.tsx";

const full: CatalogueProvider = {
  ...sampleOf(CatalogueProvider),
  ...{ headquarters: "FR", region_note: "Paris", conditional_retention_days: 30, dpf_certified: true },
};

const show = (provider: CatalogueProvider) => {
  renderConsole(<ProviderSheet provider={provider} onClose={() => {}} />, { answers: {} });
  return within(screen.getByRole("table", { name: provider.name }));
};

test("every fact that rules, receipts and auditors ask for is in the sheet of a provider", () => {
  const names = show(full)
    .getAllByRole("rowheader")
    .map(({ textContent }) => textContent);
  expect(names).toEqual([
    ...[
      "Slug",
      "Availability",
      "Credential",
      "Legal entity",
      "Headquarters",
      "Inference runs in",
      "Region note",
    ],
    ...["EU-owned", "Training", "Retention", "Retention for suspected abuse", "Data stored in"],
    ...["Data Privacy Framework", "Bring your own key"],
  ]);
});

test("an unknown legal entity is not called the worst case, as no rule asks for it; other unknown facts are", () => {
  const unknown = { ...full.eu_owned, value: null };
  const { getByRole } = show({
    ...full,
    eu_owned: unknown,
    legal_entity: { ...full.legal_entity, value: null },
  });
  expect(getByRole("row", { name: "Legal entity Unknown" })).toBeDefined();
  expect(getByRole("row", { name: /^EU-owned Unknown \(treated as the worst case\)/ })).toBeDefined();
});
