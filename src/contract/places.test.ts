import { expect, test } from "vitest";
import { countryName } from "./places.ts";

test("a country is named, and what is none stays as it is", () => {
  expect(countryName("FR")).toBe("France");
  expect(countryName("GLOBAL")).toBe("anywhere");
  for (const code of ["unknown", "", "eu_adequate", "ZZ9"]) expect(countryName(code)).toBe(code);
});
