import type { Refusal, SetBy } from "#contract/exclusion.ts";
import { countryName } from "./places.ts";
import { placeName } from "./preference-words.ts";

const text = (value: unknown): string => {
  if (value === null || value === undefined) return "unknown";
  if (Array.isArray(value)) return value.map(text).join(", ") || "nothing";
  if (typeof value === "object") {
    return Object.entries(value)
      .map(([name, one]) => `${name} ${text(one)}`)
      .join(", ");
  }
  return String(value);
};

const places = (value: unknown): string =>
  Array.isArray(value) && value.length > 0
    ? value.map((code) => (typeof code === "string" ? countryName(code) : text(code))).join(", ")
    : typeof value === "string"
      ? placeName(value)
      : "an unknown place";
const days = (value: unknown): string => (typeof value === "number" ? `${value} days` : "an unknown time");

/** As it comes over the wire, where what is undefined is left out. */
export type SeenRefusal = Omit<Refusal, "wanted" | "actual"> & {
  readonly wanted?: unknown;
  readonly actual?: unknown;
};
type Told = (refusal: SeenRefusal) => string;

/** Why an endpoint is left out, by the field that leaves it out. */
const reasons: Record<string, Told> = {
  no_credential: () => "there is no credential for it",
  no_base_url: () => "its address is not set",
  unpriced: () => "it has no price",
  only: () => "it is not on the list of allowed providers",
  ignore: () => "it is on the list of providers never used",
  data_residency: ({ wanted, actual }) => `it runs in ${places(actual)}, not in ${places(wanted)}`,
  eu_owned: ({ actual }) => (actual === null ? "nobody knows whether it is EU-owned" : "it is not EU-owned"),
  data_collection: ({ actual }) =>
    actual === null ? "nobody knows whether it trains on prompts" : "it trains on prompts",
  zdr: ({ actual }) => `it keeps prompts for ${days(actual)}`,
  max_retention_days: ({ wanted, actual }) =>
    `it keeps prompts for ${days(actual)}, not ${days(wanted)} at most`,
  quantizations: ({ wanted, actual }) => `its weights are ${text(actual)}, not ${text(wanted)}`,
  max_price: ({ wanted, actual }) => `it costs ${text(actual)}, the limit is ${text(wanted)}`,
};

/** `it runs in United States, not in the EU`. */
export function whyText(refusal: SeenRefusal): string {
  const told = reasons[refusal.field];
  const why = told
    ? told(refusal)
    : `${refusal.field.replaceAll("_", " ")}: wanted ${text(refusal.wanted)}, is ${text(refusal.actual)}`;
  return refusal.reason === "fact_expired" ? `${why} (what is known of it is too old)` : why;
}

/** What would let it in: null when no wish can. */
export function admitText({ field, would_admit: value }: SeenRefusal): string | null {
  if (value === undefined) return null;
  const name = field.replaceAll("_", " ");
  return value === null ? `leave out “${name}”` : `set “${name}” to ${text(value)}`;
}

const scopes: Record<SetBy["scope"], string> = {
  installation: "the installation",
  org: "a rule of the organisation",
  workspace: "a rule of the workspace",
  user: "a rule of the person",
  api_key: "a rule of the key",
  request: "the request",
};

/** Whose wish it was; `draftName` names the rule that is being written. */
export function setByText({ scope, rule_name: name }: SetBy, draftName: string): string {
  if (name === undefined) return scopes[scope];
  return name === draftName ? "this rule" : `“${name}”`;
}
