import { expect, test } from "vitest";
import { countries, countryName } from "./places.ts";

test("a country is named, and what is none stays as it is", () => {
  expect(countryName("FR")).toBe("France");
  expect(countryName("GLOBAL")).toBe("anywhere");
  for (const code of ["unknown", "", "eu_adequate", "ZZ9"]) expect(countryName(code)).toBe(code);
});

test("every country can be chosen once, and no group or withdrawn code", () => {
  const all = countries();
  for (const code of ["DE", "FR", "CH", "GB", "US", "NO"]) expect(all).toContain(code);
  // Withdrawn (East Germany, Soviet Union, United Kingdom by another code), groups and unassigned codes.
  for (const code of ["DD", "SU", "UK", "EU", "UN", "ZZ", "AA"]) expect(all).not.toContain(code);
  expect(new Set(all.map(countryName)).size).toBe(all.length);
  expect(all.length).toBeGreaterThan(240);
});
