import { expect, test } from "vitest";
import { factsOf, type ProviderFacts, withFacts } from "./provider-facts.ts";

const none: ProviderFacts = {
  ...{ legalEntity: null, countries: null, euOwned: null, training: null, retentionDays: null },
};
const all: ProviderFacts = {
  ...{ legalEntity: "Lab GmbH", countries: ["DE", "FR"], euOwned: "yes", training: "no", retentionDays: 30 },
};
const unknown: ProviderFacts = { ...none, euOwned: "unknown", training: "unknown", retentionDays: "unknown" };

test.each([none, all, unknown])(
  "facts are read as they were written, beside the other fields: %j",
  (facts) => {
    const fields = withFacts({ slug: "lab", name: "Lab" }, facts);
    expect(fields).toMatchObject({ slug: "lab", name: "Lab" });
    expect(factsOf(fields)).toEqual(facts);
  },
);

test("a fact that is no longer stated leaves no field behind", () => {
  expect(withFacts(withFacts({ slug: "lab" }, all), none)).toEqual({ slug: "lab" });
});

test("the retention also says whether prompts are stored", () => {
  expect(withFacts({}, { retentionDays: 0 })).toEqual({ retention_days: 0, retains_prompts: false });
  expect(withFacts({}, { retentionDays: 7 })).toEqual({ retention_days: 7, retains_prompts: true });
  expect(withFacts({}, { retentionDays: "unknown" })).toEqual({
    retention_days: null,
    retains_prompts: null,
  });
});

test("a fact with its own source is read", () => {
  expect(factsOf({ training: { value: false, source: "Contract" } }).training).toBe("no");
});
