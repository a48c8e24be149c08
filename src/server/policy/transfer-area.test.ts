import { expect, test } from "vitest";
import { transferAreaOf } from "./transfer-area.ts";

const none: ReadonlySet<string> = new Set();

test.each<[string[], string[], boolean, string]>([
  [["FR"], [], false, "eu"],
  [["FR", "NO"], [], false, "eea"],
  [["FR", "CH"], [], false, "adequate"],
  [["US"], [], true, "adequate"],
  [["US"], [], false, "third_country"],
  [["FR", "US"], [], false, "third_country"],
  [["CN"], [], true, "third_country"],
  [[], ["EU"], false, "eu"],
  [[], ["EU_ADEQUATE"], false, "adequate"],
  [[], ["US"], false, "third_country"],
  [[], ["GLOBAL"], false, "unknown"],
  [[], [], false, "unknown"],
])(
  "an endpoint in %j, groups %j, certified %s, is in the area %s",
  (countries, regionGroups, dpfCertified, area) => {
    expect(transferAreaOf({ countries, regionGroups, provider: { dpfCertified } }, none)).toBe(area);
  },
);

test("a country whose adequacy decision is not relied on is a third country", () => {
  const swiss = { countries: ["CH"], regionGroups: [], provider: { dpfCertified: false } };
  expect(transferAreaOf(swiss, new Set(["CH"]))).toBe("third_country");
});
