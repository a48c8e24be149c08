import { adequateCodes, eeaCodes, euCodes } from "./eu-residency.ts";

/** What an endpoint says of where it runs. */
export interface Located {
  readonly countries: readonly string[];
  readonly regionGroups: readonly string[];
  readonly provider: { readonly dpfCertified: boolean };
}

/** The possible countries of an endpoint that names only a group. For other groups they are unknown. */
const countriesOf: Readonly<Record<string, ReadonlySet<string>>> = {
  EU: euCodes,
  EU_ADEQUATE: adequateCodes(new Set()),
  US: new Set(["US"]),
};

/** Groups that are completely inside each place. */
const groupsInside: Readonly<Record<string, readonly string[]>> = {
  eu: ["EU"],
  eea: ["EU"],
  eu_adequate: ["EU", "EU_ADEQUATE"],
  us: ["US"],
};

/** The exact country of a group is unknown, so one country that is no longer adequate excludes the group. */
const groupInside = (group: string, residency: string, adequate: ReadonlySet<string>): boolean =>
  (groupsInside[residency] ?? []).includes(group) &&
  (residency !== "eu_adequate" || (countriesOf[group] ?? noCountries).isSubsetOf(adequate));
const noCountries: ReadonlySet<string> = new Set();

function inside(
  country: string,
  residency: string,
  endpoint: Located,
  adequate: ReadonlySet<string>,
): boolean {
  if (residency === "eu") return euCodes.has(country);
  if (residency === "eea") return eeaCodes.has(country);
  // The United States are adequate for certified organisations only (Decision (EU) 2023/1795).
  if (residency === "eu_adequate")
    return adequate.has(country) && (country !== "US" || endpoint.provider.dpfCertified);
  return country === residency.toUpperCase();
}

const wholly = (endpoint: Located, residency: string, adequate: ReadonlySet<string>): boolean => {
  if (endpoint.countries.length > 0) {
    return endpoint.countries.every((country) => inside(country, residency, endpoint, adequate));
  }
  const { regionGroups } = endpoint;
  return regionGroups.length > 0 && regionGroups.every((group) => groupInside(group, residency, adequate));
};

const mayLie = (
  group: string,
  residency: string,
  endpoint: Located,
  adequate: ReadonlySet<string>,
): boolean =>
  countriesOf[group]?.values().some((country) => inside(country, residency, endpoint, adequate)) ?? true;

/** Between the words of several preferences that no single word can stand for: `de+fr` must lie in both. */
const and = "+";

/**
 * Whether all inference of an endpoint runs inside: every named country must lie there; with none named, every
 * promised region. A promise wider than the question, such as EU for `de`, does not do.
 */
export const resides = (endpoint: Located, residency: string, adequate: ReadonlySet<string>): boolean =>
  residency.includes(and)
    ? residency.split(and).every((word) => wholly(endpoint, word, adequate))
    : wholly(endpoint, residency, adequate);

/**
 * Whether an endpoint that is not certainly inside may be inside: it names no country, and its promised region
 * overlaps every place.
 */
export const perhapsResides = (
  endpoint: Located,
  residency: string,
  adequate: ReadonlySet<string>,
): boolean =>
  endpoint.countries.length === 0 &&
  residency
    .split(and)
    .every(
      (word) =>
        endpoint.regionGroups.length === 0 ||
        endpoint.regionGroups.some((group) => mayLie(group, word, endpoint, adequate)),
    );

/** From large to small. Each is part of all earlier ones. */
const nested = ["eu_adequate", "eea", "eu"];

/** Whether everything in `narrow` is also in `wide`. Adequate countries may be excluded, so they do not count. */
function covers(wide: string, narrow: string): boolean {
  if (wide === narrow) return true;
  if (!nested.includes(wide)) return false;
  if (nested.includes(narrow)) return nested.indexOf(wide) < nested.indexOf(narrow);
  return (wide === "eu" ? euCodes : eeaCodes).has(narrow.toUpperCase());
}

/** What lies in both, as one word when there is one, else as words joined by `+`. */
export function intersectResidencies(a: string, b: string): string {
  const words = [...new Set([...a.split(and), ...b.split(and)])];
  return words
    .filter((word) => !words.some((other) => other !== word && covers(word, other)))
    .sort()
    .join(and);
}

/** Whether data stored at a place is inside every place of a preference; an unknown place never is. */
export const liesWithin = (place: string | null, preference: string): boolean =>
  place !== null && preference.split(and).every((word) => covers(word, place));

/** The narrowest word that admits an endpoint and is no narrower than needed; null when only no limit does. */
export const narrowestResidency = (endpoint: Located, adequate: ReadonlySet<string>): string | null =>
  ["eu", "eea", "eu_adequate"].find((word) => resides(endpoint, word, adequate)) ?? null;
