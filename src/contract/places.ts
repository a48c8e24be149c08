const names = new Intl.DisplayNames("en-GB", { type: "region", fallback: "code" });

/** What providers promise instead of a country. */
const wide: Readonly<Record<string, string>> = {
  EU: "the EU",
  EU_ADEQUATE: "the EU or a country with an adequacy decision",
  REGIONAL: "one unnamed region",
  GLOBAL: "anywhere",
};

/** `FR` → `France`. What is no code of a country, such as `unknown`, stays as it is. */
export const countryName = (code: string): string => {
  if (wide[code]) return wide[code];
  return /^[A-Z]{2}$/i.test(code) ? (names.of(code.toUpperCase()) ?? code) : code;
};

const groups: Readonly<Record<string, string>> = {
  eu: "the EU",
  eea: "the EEA",
  eu_adequate: "the EEA or a country with an adequacy decision",
};

/** `eu` → `the EU`, `de` → `Germany`. */
export const placeName = (residency: string): string =>
  groups[residency] ?? countryName(residency.toUpperCase());

/** Where somebody runs models: countries by name, else the wider promises, else that nobody says. */
export const placeText = (countries: readonly string[], groups: readonly string[]): string =>
  (countries.length > 0 ? countries : groups).map(countryName).join(", ") || "Unknown";
