import type { Refusal, SetBy } from "./exclusion.ts";
import { countryName, placeName } from "./places.ts";

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

/** One reason to leave an endpoint out. */
interface Reason {
  /** OpenRouter's word for it, in `excluded_by`. */
  readonly code: string;
  /** What it is about, in a few words. */
  readonly label: string;
  /** A rule or request asks for something else, the request is too large for it, or nobody can use the endpoint. */
  readonly kind: "rule" | "size" | "unusable";
  /** Why this endpoint is left out. */
  readonly told: (refusal: SeenRefusal) => string;
}

/** Every reason there is, by the `field` of a refusal: what the API, the console and the log say of it. */
export const exclusionReasons = {
  enabled: { code: "enabled", label: "switched off", kind: "unusable", told: () => "it is switched off" },
  wrong_endpoint: {
    code: "wrong_endpoint",
    label: "operation not served",
    kind: "unusable",
    told: ({ wanted, actual }) => `it serves ${text(actual)}, not ${text(wanted)}`,
  },
  no_credential: {
    code: "no_credential",
    label: "no credential",
    kind: "unusable",
    told: ({ wanted }) =>
      `there is no credential for it: set ${text(wanted)}, or add a credential under Providers`,
  },
  no_base_url: {
    code: "no_base_url",
    label: "no address",
    kind: "unusable",
    told: () => "its address has a part only you know: give its base_url in CATALOG_FILE",
  },
  unpriced: { code: "unpriced", label: "no price", kind: "unusable", told: () => "it has no price" },
  ignore: {
    code: "ignored_providers",
    label: "ignored providers",
    kind: "rule",
    told: () => "it is on the list of providers never used",
  },
  only: {
    code: "allowed_providers",
    label: "allowed providers",
    kind: "rule",
    told: () => "it is not on the list of allowed providers",
  },
  data_residency: {
    code: "data_region",
    label: "data residency",
    kind: "rule",
    told: ({ wanted, actual, reason }) =>
      reason === "fact_unknown" && actual !== null
        ? `it tells where it runs only as “${places(actual)}”, which may be outside ${places(wanted)}`
        : `it runs in ${places(actual)}, not in ${places(wanted)}`,
  },
  eu_owned: {
    code: "eu_owned",
    label: "EU ownership",
    kind: "rule",
    told: ({ actual }) => (actual === null ? "nobody knows whether it is EU-owned" : "it is not EU-owned"),
  },
  data_collection: {
    code: "data_policy:training",
    label: "training on prompts",
    kind: "rule",
    told: ({ actual }) =>
      actual === null ? "nobody knows whether it trains on prompts" : "it trains on prompts",
  },
  zdr: {
    code: "data_policy:zdr",
    label: "zero retention",
    kind: "rule",
    told: ({ actual }) => `it keeps prompts for ${days(actual)}`,
  },
  max_retention_days: {
    code: "retention",
    label: "retention",
    kind: "rule",
    told: ({ wanted, actual }) => `it keeps prompts for ${days(actual)}, not ${days(wanted)} at most`,
  },
  quantizations: {
    code: "quantization",
    label: "quantization",
    kind: "rule",
    told: ({ wanted, actual }) => `its weights are ${text(actual)}, not ${text(wanted)}`,
  },
  max_price: {
    code: "max_price",
    label: "price",
    kind: "rule",
    told: ({ wanted, actual }) => `it costs ${text(actual)}, the limit is ${text(wanted)}`,
  },
  require_parameters: {
    code: "require_parameters",
    label: "parameters",
    kind: "rule",
    told: ({ wanted, actual }) =>
      actual === null
        ? "nobody knows which parameters it takes"
        : `it takes ${text(actual)} of ${text(wanted)}`,
  },
  context_length: {
    code: "context_length",
    label: "context window",
    kind: "size",
    told: ({ wanted, actual }) =>
      `its context window has ${text(actual)} tokens, and ${text(wanted)} are needed`,
  },
  max_tokens: {
    code: "context_length",
    label: "answer length",
    kind: "size",
    told: ({ wanted, actual }) => `it has room for ${text(actual)} tokens of an answer, not ${text(wanted)}`,
  },
} as const satisfies Readonly<Record<string, Reason>>;

const reasons: Readonly<Record<string, Reason>> = exclusionReasons;
const labels = new Map(Object.values(reasons).map(({ code, label }) => [code, label]));

/** The reason behind a field; undefined for one nobody has words for. */
export const reasonOf = (field: string): Reason | undefined => reasons[field];

/** `data_region` → `data residency`. */
export const exclusionLabel = (code: string): string => labels.get(code) ?? code.replaceAll("_", " ");

/** The environment variable a provider's credential is read from. */
export const credentialVariable = (slug: string): string =>
  `${slug.toUpperCase().replaceAll("-", "_")}_API_KEY`;

/** `it runs in United States, not in the EU`. */
export function whyText(refusal: SeenRefusal): string {
  const { field, wanted, actual, reason } = refusal;
  const told = reasons[field]?.told;
  const why = told
    ? told(refusal)
    : `${field.replaceAll("_", " ")}: wanted ${text(wanted)}, is ${text(actual)}`;
  return reason === "fact_expired" ? `${why} (what is known of it is too old)` : why;
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
