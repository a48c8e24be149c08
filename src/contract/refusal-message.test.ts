import { describe, expect, test } from "vitest";
import type { Refusal } from "./exclusion.ts";
import { credentialVariable, exclusionLabel, exclusionReasons, whyText } from "./exclusion-words.ts";
import { refusalLabels, refusalMessage } from "./refusal-message.ts";

const refusal = (field: string): Refusal => ({
  field,
  wanted: "x",
  actual: null,
  set_by: { scope: "request" },
});
const excluded = (provider: string, ...fields: string[]) => ({ provider, refusals: fields.map(refusal) });

describe("why no endpoint is eligible", () => {
  test("names the rules in ordinary words with counts, what leaves out most first", () => {
    const all = [
      excluded("a", "max_retention_days"),
      excluded("b", "data_residency", "max_retention_days"),
      excluded("c", "data_residency"),
      excluded("d", "data_residency"),
    ];
    expect(refusalMessage(all)).toBe(
      "No provider meets the rules for this request: data residency (3 excluded), data retention (1)",
    );
    expect(refusalLabels(all)).toBe("data residency, data retention");
  });

  test("names a credential that would help, and none where rules would still be in the way", () => {
    expect(refusalMessage([excluded("us", "data_residency"), excluded("mistral", "no_credential")])).toBe(
      "No provider meets the rules for this request: data residency (1 excluded). To use one that only lacks a credential, " +
        "set MISTRAL_API_KEY, or add a credential under Providers",
    );
    expect(refusalMessage([excluded("mistral", "no_credential", "data_residency")])).toBe(
      "No provider meets the rules for this request: data residency (1 excluded)",
    );
    const many = ["a", "b", "c", "d"].map((slug) => excluded(slug, "no_credential"));
    expect(refusalMessage([...many, excluded("aws-bedrock", "no_base_url")])).toBe(
      "No provider can be asked for this model: no credential (4 excluded), base URL not set (1). To use one that only " +
        "lacks a credential, set A_API_KEY or B_API_KEY or C_API_KEY or that of another provider, or add a credential under Providers",
    );
  });

  test("says what to do about an own credential that cannot be read", () => {
    expect(refusalMessage([excluded("mistral", "own_credential")])).toBe(
      "No provider can be asked for this model: own credential unreadable (1 excluded). Your organisation's credential " +
        "for mistral cannot be read: save it again, or disable it",
    );
  });

  test("says so if there is no endpoint at all, or none for the operation", () => {
    expect(refusalMessage([])).toBe("No provider serves this model");
    expect(refusalMessage([excluded("a", "wrong_endpoint", "no_credential")])).toBe(
      "No provider of this model serves this operation",
    );
  });
});

test("every reason has words of its own, and none is a code", () => {
  const labels = Object.values(exclusionReasons).map(({ label }) => label);
  expect(new Set(labels).size).toBe(labels.length);
  for (const [field, { code, label }] of Object.entries(exclusionReasons)) {
    expect(label).not.toMatch(/[_:]/);
    if (field !== "max_tokens") expect(exclusionLabel(code)).toMatch(/^[\p{L} ]+$/u);
    expect(whyText(refusal(field))).not.toContain("_residency");
    expect(whyText(refusal(field)).length).toBeGreaterThan(10);
  }
});

test("an incomplete configuration is reported with what to do", () => {
  const lacking = { ...refusal("no_credential"), wanted: credentialVariable("aws-bedrock") };
  expect(whyText(lacking)).toBe(
    "it has no credential: set AWS_BEDROCK_API_KEY, or add a credential under Providers",
  );
  expect(whyText(refusal("no_base_url"))).toContain("base_url in CATALOG_FILE");
});
