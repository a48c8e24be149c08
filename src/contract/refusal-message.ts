import type { Exclusion } from "./exclusion.ts";
import { credentialVariable, reasonOf } from "./exclusion-words.ts";

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

/** What would let endpoints serve that only lack a credential; empty when there are none. */
function credentialHint(excluded: readonly Excluded[]): string {
  const lacking = excluded.filter(({ refusals }) => refusals.every(({ field }) => field === "no_credential"));
  const variables = [...new Set(lacking.map(({ provider }) => credentialVariable(provider)))];
  if (variables.length === 0) return "";
  const named = variables.slice(0, variablesMax).join(" or ");
  const others = variables.length > variablesMax ? " or that of another provider" : "";
  return `. To use one that only lacks a credential, set ${named}${others}, or add a credential under Providers`;
}

/**
 * Why no endpoint is left, in ordinary words with counts: the rules that leave out what could be used otherwise, or
 * else what keeps everything from being used.
 */
export function refusalMessage(excluded: readonly Excluded[]): string {
  if (excluded.length === 0) return "No provider serves this model";
  const hint = credentialHint(excluded);
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
