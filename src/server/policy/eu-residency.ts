import type { EuResidency } from "#contract/eu-residency.ts";

interface Adequacy {
  readonly name: string;
  /** The Commission's decision. */
  readonly decision: string;
  /** What it does not cover. */
  readonly note?: string;
}

/** The date of the last check of the lists below. A new list is a new version of this file. */
const asOf = "2026-11-20";

const euStates: Record<string, string> = {
  AT: "Austria",
  BE: "Belgium",
  BG: "Bulgaria",
  HR: "Croatia",
  CY: "Cyprus",
  CZ: "Czechia",
  DK: "Denmark",
  EE: "Estonia",
  FI: "Finland",
  FR: "France",
  DE: "Germany",
  GR: "Greece",
  HU: "Hungary",
  IE: "Ireland",
  IT: "Italy",
  LV: "Latvia",
  LT: "Lithuania",
  LU: "Luxembourg",
  MT: "Malta",
  NL: "Netherlands",
  PL: "Poland",
  PT: "Portugal",
  RO: "Romania",
  SK: "Slovakia",
  SI: "Slovenia",
  ES: "Spain",
  SE: "Sweden",
};

/** The states of the EEA that are not in the EU. */
const eeaStates: Record<string, string> = { IS: "Iceland", LI: "Liechtenstein", NO: "Norway" };

/** Decisions under Article 45 GDPR (and its predecessor). */
const adequacies: Record<string, Adequacy> = {
  AD: { name: "Andorra", decision: "2010/625/EU" },
  AR: { name: "Argentina", decision: "2003/490/EC" },
  BR: {
    name: "Brazil",
    decision: "(EU) 2026/179",
    note: "Incorporation into the EEA Agreement is in preparation",
  },
  CA: { name: "Canada", decision: "2002/2/EC", note: "Commercial organisations under PIPEDA only" },
  FO: { name: "Faroe Islands", decision: "2010/146/EU" },
  GG: { name: "Guernsey", decision: "2003/821/EC" },
  IL: { name: "Israel", decision: "2011/61/EU" },
  IM: { name: "Isle of Man", decision: "2004/411/EC" },
  JP: { name: "Japan", decision: "(EU) 2019/419", note: "Private sector only" },
  JE: { name: "Jersey", decision: "2008/393/EC" },
  NZ: { name: "New Zealand", decision: "2013/65/EU" },
  KR: { name: "South Korea", decision: "(EU) 2022/254" },
  CH: { name: "Switzerland", decision: "2000/518/EC" },
  GB: { name: "United Kingdom", decision: "(EU) 2021/1772, renewed 2025-12-19" },
  US: {
    name: "United States",
    decision: "(EU) 2023/1795",
    note: "Only organisations certified under the EU-US Data Privacy Framework; an appeal (C-703/25 P) is pending",
  },
  UY: { name: "Uruguay", decision: "2012/484/EU" },
};

const named = (states: Record<string, string>) =>
  Object.entries(states)
    .map(([code, name]) => ({ code, name }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));

export const euCodes: ReadonlySet<string> = new Set(Object.keys(euStates));
export const eeaCodes: ReadonlySet<string> = new Set([...euCodes, ...Object.keys(eeaStates)]);

/**
 * The countries `eu_adequate` admits, without those an operator has excluded, for example after a court's decision.
 */
export const adequateCodes = (off: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([...eeaCodes, ...Object.keys(adequacies).filter((code) => !off.has(code))]);

/** The reference lists of `GET /routing-rules/eu-residency`. */
export const euResidency = (off: ReadonlySet<string>): EuResidency => ({
  as_of: asOf,
  eu_countries: named(euStates),
  eea_countries: named(eeaStates),
  eu_adequate_countries: Object.entries(adequacies)
    .map(([code, { name, decision, note }]) => ({
      code,
      name,
      decision,
      ...(note && { note }),
      enabled: !off.has(code),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1)),
});
