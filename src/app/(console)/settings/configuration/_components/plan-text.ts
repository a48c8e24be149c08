import type { ChangeAction, ConfigurationPlan } from "#contract/configuration.ts";

type Change = ConfigurationPlan["changes"][number];
type Consequence = ConfigurationPlan["consequences"][number];

export const kindText = (kind: string): string => {
  const words = kind === "keys" ? "API keys" : kind.replaceAll("_", " ");
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
};

export const actionTexts: Readonly<Record<ChangeAction, string>> = {
  create: "Create",
  update: "Change",
  replace: "Delete and create",
  delete: "Delete",
};

/** How many resources end, with what they have counted or stored. */
export const deletedCount = ({ summary }: Pick<ConfigurationPlan, "summary">): number =>
  summary.delete + summary.replace;

const words: Readonly<Record<ChangeAction, readonly [planned: string, done: string]>> = {
  create: ["to create", "created"],
  update: ["to change", "changed"],
  replace: ["to delete and create", "deleted and created"],
  delete: ["to delete", "deleted"],
};

/** How many resources change, by action: what is planned, or what was done. */
export function summaryText(
  { summary }: Pick<ConfigurationPlan, "summary">,
  tense: "planned" | "done" = "planned",
): string {
  const parts = Object.entries(words).map(([action, [planned, done]]) => {
    const count = summary[action as ChangeAction];
    return count > 0 ? `${count} ${tense === "planned" ? planned : done}` : "";
  });
  return parts.filter(Boolean).join(", ");
}

/** How the state differs from the file, in one sentence. */
export function driftText(
  { changes, unlisted }: Pick<ConfigurationPlan, "changes" | "unlisted">,
  prune: boolean,
): string {
  if (changes.length > 0) return "The state differs from the file";
  if (prune || unlisted.length === 0) return "No drift: the state is that of the file";
  const count = unlisted.length === 1 ? "1 resource is" : `${unlisted.length} resources are`;
  return `No changes, but ${count} not in the file`;
}

/** A value in a table; null if it is not set. */
export function valueText(value: unknown): string | null {
  if (value === null) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Changes by kind, in the order of the plan. */
export const byKind = (changes: readonly Change[]): [string, Change[]][] => [
  ...Map.groupBy(changes, ({ kind }) => kind),
];

/** Consequences by what they are about, those with the most requests first. */
export const bySubject = (consequences: readonly Consequence[]): Consequence[][] =>
  [...Map.groupBy(consequences, ({ kind, name }) => `${kind} ${name}`).values()].sort(
    (one, other) => mostRequests(other) - mostRequests(one),
  );

const mostRequests = (group: readonly Consequence[]): number =>
  Math.max(...group.map(({ requests }) => requests));
