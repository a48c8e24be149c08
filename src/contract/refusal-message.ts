import type { Exclusion, Refusal } from "./exclusion.ts";
import { credentialVariable, reasonOf } from "./exclusion-words.ts";
import { mediaModalities, modalityList } from "./modalities.ts";

type Excluded = Pick<Exclusion, "provider" | "refusals">;
type Kind = NonNullable<ReturnType<typeof reasonOf>>["kind"];

const labelOf = (field: string): string => reasonOf(field)?.label ?? field.replaceAll("_", " ");

/** The first reason of this kind an endpoint is left out for. */
const firstOf = ({ refusals }: Excluded, kind: Kind): string | undefined =>
  refusals.find(({ field }) => (reasonOf(field)?.kind ?? "rule") === kind)?.field;

/** `data residency (3 excluded), retention (1)`, what leaves out most first. */
function counted(fields: readonly string[]): string {
  const counts = [...Map.groupBy(fields, labelOf)].map(([label, all]) => ({ label, count: all.length }));
  return counts
    .toSorted((a, b) => b.count - a.count)
    .map(({ label, count }, at) => `${label} (${count}${at === 0 ? " excluded" : ""})`)
    .join(", ");
}

/** More variables than this are not named. */
const variablesMax = 3;

/** The providers that are left out for this reason alone. */
const onlyFor = (excluded: readonly Excluded[], reason: string): string[] =>
  excluded
    .filter(({ refusals }) => refusals.every(({ field }) => field === reason))
    .map(({ provider }) => provider);

/** What would let endpoints serve whose own credential cannot be read; empty when there are none. */
function unreadableHint(excluded: readonly Excluded[]): string {
  const providers = [...new Set(onlyFor(excluded, "own_credential"))];
  return providers.length === 0
    ? ""
    : `. Your organisation's credential for ${providers.join(", ")} cannot be read: save it again, or disable it`;
}

/** What would let endpoints serve that only lack a credential; empty when there are none. */
function credentialHint(excluded: readonly Excluded[]): string {
  const variables = [...new Set(onlyFor(excluded, "no_credential").map(credentialVariable))];
  if (variables.length === 0) return "";
  const named = variables.slice(0, variablesMax).join(" or ");
  const others = variables.length > variablesMax ? " or that of another provider" : "";
  return `. To use one that only lacks a credential, set ${named}${others}, or add a credential under Providers`;
}

const modalityFields: readonly string[] = ["input_modalities", "output_modalities"];

const namesOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];

/** What every endpoint lacks of a kind of content: `image and audio input`; empty when it is not lacking. */
function lackingContent(refusals: readonly Refusal[], field: string, what: string): string[] {
  const missing = new Set(
    refusals
      .filter((refusal) => refusal.field === field)
      .flatMap(({ wanted, actual }) => namesOf(wanted).filter((name) => !namesOf(actual).includes(name))),
  );
  return missing.size > 0
    ? [`${modalityList(mediaModalities.filter((name) => missing.has(name)))} ${what}`]
    : [];
}

/** What to add to a model of the operator's own whose modalities are not listed. */
function modalityHint(refusals: readonly Refusal[]): string {
  const assumed = refusals.filter(
    ({ field, reason }) => reason === "fact_unknown" && modalityFields.includes(field),
  );
  const fields = [...new Set(assumed.map(({ field }) => field))].toSorted();
  return fields.length === 0
    ? ""
    : `. If the model supports it, list it in ${fields.join(" and ")} of the model in CATALOG_FILE`;
}

/**
 * `No endpoints found that support image input`, in OpenRouter's words, where every endpoint is left out because its
 * model lacks a modality; null in all other cases.
 */
export function modalityMessage(excluded: readonly Excluded[]): string | null {
  const isModality = ({ field }: Refusal) => modalityFields.includes(field);
  if (excluded.length === 0 || !excluded.every(({ refusals }) => refusals.some(isModality))) return null;
  const refusals = excluded.flatMap((one) => one.refusals);
  const lacking = [
    ...lackingContent(refusals, "input_modalities", "input"),
    ...lackingContent(refusals, "output_modalities", "output"),
  ];
  return `No endpoints found that support ${lacking.join(" and ")}${modalityHint(refusals)}`;
}

/**
 * Why no endpoint is left, in ordinary words with counts: the rules that leave out what could be used otherwise, or
 * else what keeps everything from being used.
 */
export function refusalMessage(excluded: readonly Excluded[]): string {
  if (excluded.length === 0) return "No provider serves this model";
  const lacking = modalityMessage(excluded);
  if (lacking !== null) return lacking;
  const hint = unreadableHint(excluded) + credentialHint(excluded);
  const usable = excluded.filter((one) => firstOf(one, "unusable") === undefined);
  const byRules = (usable.length > 0 ? usable : excluded).flatMap((one) => firstOf(one, "rule") ?? []);
  // Of those that nobody can use, rules matter only where they leave out every one of them.
  if (byRules.length > 0 && (usable.length > 0 || byRules.length === excluded.length))
    return `No provider meets the rules for this request: ${counted(byRules)}${hint}`;
  const isOnlyOperation = excluded.every(({ refusals }) =>
    refusals.some(({ field }) => field === "wrong_endpoint"),
  );
  if (isOnlyOperation) return "No provider of this model serves this operation";
  return `No provider can be asked for this model: ${counted(excluded.map((one) => one.refusals[0]?.field ?? ""))}${hint}`;
}

/** What the reasons are about, each once, for telling refusals apart. */
export const refusalLabels = (excluded: readonly Excluded[]): string =>
  [...new Set(excluded.map(({ refusals }) => labelOf(refusals[0]?.field ?? "")))].toSorted().join(", ");
