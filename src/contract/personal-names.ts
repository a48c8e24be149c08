import type { Exclusion, SetBy } from "./exclusion.ts";

/** Of one person or key: others may not see it. */
export const isPersonal = ({ scope }: Pick<SetBy, "scope">): boolean =>
  scope === "user" || scope === "api_key";

const unnamed = (setBy: SetBy): SetBy => {
  if (!isPersonal(setBy)) return setBy;
  const { rule_name: _, ...rest } = setBy;
  return rest;
};

/** Without the names of rules of one person or key, which only that person and administrators can see. */
export const withoutPersonalNames = (excluded: readonly Exclusion[]): Exclusion[] =>
  excluded.map(({ refusals, ...one }) => ({
    ...one,
    set_by: unnamed(one.set_by),
    ...(one.also_set_by && { also_set_by: one.also_set_by.map(unnamed) }),
    refusals: refusals.map((refusal) => ({
      ...refusal,
      set_by: unnamed(refusal.set_by),
      ...(refusal.also_set_by && { also_set_by: refusal.also_set_by.map(unnamed) }),
    })),
  }));
