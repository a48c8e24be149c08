import { describe, expect, test } from "vitest";
import { endpoint, model, provider } from "#test/catalogues.ts";
import { adequateCodes, eeaCodes, euCodes } from "./eu-residency.ts";
import { perhapsResides, resides } from "./residency.ts";

interface Place {
  readonly countries?: readonly string[];
  readonly regionGroups?: readonly string[];
  readonly certified?: boolean;
}
const at = ({ countries = [], regionGroups = [], certified = false }: Place) =>
  endpoint(provider("p", { dpfCertified: certified }), model("m/x"), { countries, regionGroups });

const all = adequateCodes(new Set());
const off = (...codes: readonly string[]) => adequateCodes(new Set(codes));

describe("an endpoint is inside a place if all its locations are, and not if one is unknown", () => {
  const places: readonly (readonly [string, Place, readonly string[]])[] = [
    ["France", { countries: ["FR"] }, ["eu", "eea", "eu_adequate", "fr"]],
    ["France and Norway", { countries: ["FR", "NO"] }, ["eea", "eu_adequate"]],
    ["Switzerland", { countries: ["CH"] }, ["eu_adequate", "ch"]],
    ["the United States", { countries: ["US"] }, ["us"]],
    ["the United States, certified", { countries: ["US"], certified: true }, ["eu_adequate", "us"]],
    ["India", { countries: ["IN"] }, ["in"]],
    ["a promise of the EU", { regionGroups: ["EU"] }, ["eu", "eea", "eu_adequate"]],
    ["a promise of an adequate place", { regionGroups: ["EU_ADEQUATE"] }, ["eu_adequate"]],
    ["a promise of either", { regionGroups: ["EU", "EU_ADEQUATE"] }, ["eu_adequate"]],
    ["a promise of the United States", { regionGroups: ["US"] }, ["us"]],
    ["one region, not named", { regionGroups: ["REGIONAL"] }, []],
    ["anywhere", { regionGroups: ["GLOBAL"] }, []],
    ["the EU or anywhere", { regionGroups: ["EU", "GLOBAL"] }, []],
    ["a country and a wider promise", { countries: ["CH"], regionGroups: ["EU"] }, ["eu_adequate", "ch"]],
    ["nowhere anybody knows", {}, []],
  ];
  const asked = ["eu", "eea", "eu_adequate", "us", "fr", "ch", "in"];
  test.each(places)("%s", (_, place, inside) => {
    expect(asked.filter((residency) => resides(at(place), residency, all))).toEqual(inside);
  });
});

test.each(["CH", "US", "UY"])("without adequacy of %s a promise of an adequate place may mean it", (code) => {
  expect(resides(at({ regionGroups: ["EU_ADEQUATE"] }), "eu_adequate", off(code))).toBe(false);
  expect(resides(at({ regionGroups: ["EU", "EU_ADEQUATE"] }), "eu_adequate", off(code))).toBe(false);
  expect(resides(at({ regionGroups: ["EU_ADEQUATE"], certified: true }), "eu_adequate", off(code))).toBe(
    false,
  );
  // What names its country, or promises the EU, is not concerned.
  expect(resides(at({ countries: ["JP"] }), "eu_adequate", off(code))).toBe(true);
  expect(resides(at({ regionGroups: ["EU"] }), "eu_adequate", off(code))).toBe(true);
  expect(resides(at({ countries: [code], certified: true }), "eu_adequate", off(code))).toBe(false);
});

test("no operator can switch the EU or the EEA off", () => {
  const none = off(...all);
  for (const code of eeaCodes) expect(resides(at({ countries: [code] }), "eu_adequate", none)).toBe(true);
  for (const code of euCodes) expect(resides(at({ countries: [code] }), "eu", none)).toBe(true);
});

describe("an endpoint that does not lie inside for certain", () => {
  const asked = ["eu", "eea", "eu_adequate", "us", "de", "ch", "in", "de+eea"];
  const perhaps = (place: Place, adequate = all) =>
    asked.filter(
      (residency) =>
        !resides(at(place), residency, adequate) && perhapsResides(at(place), residency, adequate),
    );
  const places: readonly (readonly [string, Place, readonly string[]])[] = [
    ["a promise of the EU", { regionGroups: ["EU"] }, ["de", "de+eea"]],
    [
      "a promise of an adequate place",
      { regionGroups: ["EU_ADEQUATE"] },
      ["eu", "eea", "us", "de", "ch", "de+eea"],
    ],
    ["a promise of the United States", { regionGroups: ["US"] }, []],
    ["one region, not named", { regionGroups: ["REGIONAL"] }, asked],
    ["the United States or anywhere", { regionGroups: ["US", "GLOBAL"] }, asked],
    ["nowhere anybody knows", {}, asked],
    ["India", { countries: ["IN"] }, []],
  ];
  test.each(places)("perhaps does where what it promises reaches into the place: %s", (_, place, unknown) => {
    expect(perhaps(place)).toEqual(unknown);
  });
  test("perhaps does where a country of its promise is adequate no more", () => {
    expect(perhaps({ regionGroups: ["EU_ADEQUATE"] }, off("CH"))).toContain("eu_adequate");
  });
});
