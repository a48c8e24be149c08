import { expect, test } from "vitest";
import { admitText, setByText, whyText } from "./exclusion-words.ts";

const setBy = { scope: "org", rule_name: "EU", rule_id: "0190a000-0000-7000-8000-000000000000" } as const;

test("a reason contains the actual value, the required one and the change that admits it", () => {
  const refusal = {
    field: "data_residency",
    wanted: "eu",
    actual: ["US"],
    would_admit: null,
    set_by: setBy,
  };
  expect(whyText(refusal)).toBe("it runs in United States, not in the EU");
  expect(admitText(refusal)).toBe("remove “data residency”");
  expect(admitText({ ...refusal, field: "max_retention_days", would_admit: 30 })).toBe(
    "set “max retention days” to 30",
  );
  expect(setByText(setBy, "EU")).toBe("this rule");
  expect(setByText(setBy, "Another")).toBe("“EU”");
  expect(setByText({ scope: "installation" }, "EU")).toBe("the installation");
});

test("for an uncertain location it names the provider's promise, not another location", () => {
  const explained = (actual: unknown, wanted: string) =>
    whyText({ field: "data_residency", wanted, actual, reason: "fact_unknown", set_by: setBy });
  expect(explained(["EU_ADEQUATE"], "eu_adequate")).toBe(
    "it states its region only as “the EU or a country with an adequacy decision”, which may be outside the EEA or a country with an adequacy decision",
  );
  expect(explained(["GLOBAL"], "de")).toBe(
    "it states its region only as “anywhere”, which may be outside Germany",
  );
  expect(explained(null, "eu")).toBe("it runs in an unknown region, not in the EU");
});

test("an expired fact is marked as such, and a reason that no preference can change suggests nothing", () => {
  const old = {
    field: "eu_owned",
    wanted: true,
    actual: true,
    reason: "fact_expired",
    set_by: setBy,
  } as const;
  expect(whyText(old)).toContain("the source has expired");
  expect(admitText(old)).toBeNull();
});

test("a field without a text is shown by its name", () => {
  expect(whyText({ field: "hull_colour", wanted: 9, actual: 4, set_by: { scope: "request" } })).toBe(
    "hull colour: wanted 9, is 4",
  );
});
