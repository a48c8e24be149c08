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
      : "an unknown region";
const days = (value: unknown): string => (typeof value === "number" ? `${value} days` : "an unknown time");

const isOrAre = (value: unknown): string => (Array.isArray(value) && value.length > 1 ? "are" : "is");

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
  readonly explain: (refusal: SeenRefusal) => string;
}

/** Every reason there is, by the `field` of a refusal: what the API, the console and the log say of it. */
export const exclusionReasons = {
  enabled: { code: "enabled", label: "disabled", kind: "unusable", explain: () => "it is disabled" },
  wrong_endpoint: {
    code: "wrong_endpoint",
    label: "operation not served",
    kind: "unusable",
    explain: ({ wanted, actual }) => `it serves ${text(actual)}, not ${text(wanted)}`,
  },
  no_credential: {
    code: "no_credential",
    label: "no credential",
    kind: "unusable",
    explain: ({ wanted }) => `it has no credential: set ${text(wanted)}, or add a credential under Providers`,
  },
  own_credential: {
    code: "own_credential",
    label: "own credential unreadable",
    kind: "unusable",
    explain: () =>
      "your organisation's own credential for it cannot be read: save it again, or disable it to use the installation's",
  },
  no_base_url: {
    code: "no_base_url",
    label: "base URL not set",
    kind: "unusable",
    explain: () => "its base URL is not set: set base_url in CATALOG_FILE",
  },
  unpriced: { code: "unpriced", label: "no price", kind: "unusable", explain: () => "it has no price" },
  ignore: {
    code: "ignored_providers",
    label: "excluded providers",
    kind: "rule",
    explain: () => "it is on the list of excluded providers",
  },
  only: {
    code: "allowed_providers",
    label: "allowed providers",
    kind: "rule",
    explain: () => "it is not on the list of allowed providers",
  },
  data_residency: {
    code: "data_region",
    label: "data residency",
    kind: "rule",
    explain: ({ wanted, actual, reason }) =>
      reason === "fact_unknown" && actual !== null
        ? `it states its region only as “${places(actual)}”, which may be outside ${places(wanted)}`
        : `it runs in ${places(actual)}, not in ${places(wanted)}`,
  },
  eu_owned: {
    code: "eu_owned",
    label: "EU ownership",
    kind: "rule",
    explain: ({ actual }) => (actual === null ? "its EU ownership is unknown" : "it is not EU-owned"),
  },
  data_collection: {
    code: "data_policy:training",
    label: "training on prompts",
    kind: "rule",
    explain: ({ actual }) =>
      actual === null ? "it is unknown whether it trains on prompts" : "it trains on prompts",
  },
  zdr: {
    code: "data_policy:zdr",
    label: "zero data retention",
    kind: "rule",
    explain: ({ actual }) => `it keeps prompts for ${days(actual)}`,
  },
  max_retention_days: {
    code: "retention",
    label: "data retention",
    kind: "rule",
    explain: ({ wanted, actual }) => `it keeps prompts for ${days(actual)}, the maximum is ${days(wanted)}`,
  },
  quantizations: {
    code: "quantization",
    label: "quantization",
    kind: "rule",
    explain: ({ wanted, actual }) => `its quantization is ${text(actual)}, not ${text(wanted)}`,
  },
  max_price: {
    code: "max_price",
    label: "price",
    kind: "rule",
    explain: ({ wanted, actual }) => `it costs ${text(actual)}, the limit is ${text(wanted)}`,
  },
  require_parameters: {
    code: "require_parameters",
    label: "parameters",
    kind: "rule",
    explain: ({ wanted, actual }) =>
      actual === null
        ? "its supported parameters are unknown"
        : `it supports ${text(actual)} of ${text(wanted)}`,
  },
  input_modalities: {
    code: "input_modalities",
    label: "input modalities",
    kind: "rule",
    explain: ({ wanted, actual, reason }) =>
      reason === "fact_unknown"
        ? `its model lists no input_modalities in CATALOG_FILE, so it accepts text only, not ${text(wanted)}`
        : `its model accepts ${text(actual)} as input, ${text(wanted)} ${isOrAre(wanted)} needed`,
  },
  output_modalities: {
    code: "output_modalities",
    label: "output modalities",
    kind: "rule",
    explain: ({ wanted, actual, reason }) =>
      reason === "fact_unknown"
        ? `its model lists no output_modalities in CATALOG_FILE, so it answers with ${text(actual)} only, not ${text(wanted)}`
        : `its model answers with ${text(actual)}, ${text(wanted)} ${isOrAre(wanted)} needed`,
  },
  parameters: {
    code: "unsupported_parameters",
    label: "unsupported parameters",
    kind: "size",
    explain: ({ wanted }) => `it does not support ${text(wanted)}`,
  },
  context_length: {
    code: "context_length",
    label: "context window",
    kind: "size",
    explain: ({ wanted, actual }) =>
      `its context window has ${text(actual)} tokens, ${text(wanted)} are needed`,
  },
  max_tokens: {
    code: "context_length",
    label: "answer length",
    kind: "size",
    explain: ({ wanted, actual }) =>
      `its answers have at most ${text(actual)} tokens, ${text(wanted)} are requested`,
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
  const explain = reasons[field]?.explain;
  const why = explain
    ? explain(refusal)
    : `${field.replaceAll("_", " ")}: wanted ${text(wanted)}, is ${text(actual)}`;
  return reason === "fact_expired" ? `${why} (the source has expired)` : why;
}

/** What would let it in: null when no preference can. */
export function admitText({ field, would_admit: value }: SeenRefusal): string | null {
  if (value === undefined) return null;
  const name = field.replaceAll("_", " ");
  return value === null ? `remove “${name}”` : `set “${name}” to ${text(value)}`;
}

const scopes: Record<SetBy["scope"], string> = {
  installation: "the installation",
  org: "a rule of the organisation",
  workspace: "a rule of the workspace",
  user: "a rule of the person",
  api_key: "a rule of the key",
  request: "the request",
};

/** Whose preference it was; `draftName` names the rule that is being written. */
export function setByText({ scope, rule_name: name }: SetBy, draftName: string): string {
  if (name === undefined) return scopes[scope];
  return name === draftName ? "this rule" : `“${name}”`;
}
