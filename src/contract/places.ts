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

/** Codes with a name that are no country: groups of countries, parts of countries, and codes for tests. */
const noCountries = new Set("AC CP CQ DG EA EU EZ IC QO TA UN XA XB ZZ".split(" "));
const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];

/** The ISO 3166-1 codes in use. A withdrawn code is another one in its canonical form. */
export const countries = (): readonly string[] =>
  letters
    .flatMap((first) => letters.map((second) => first + second))
    .filter(
      (code) =>
        names.of(code) !== code && !noCountries.has(code) && new Intl.Locale(`und-${code}`).region === code,
    );

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
