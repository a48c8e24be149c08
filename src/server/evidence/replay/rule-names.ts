import type { DecisionReplay } from "#contract/decision-replay.ts";
import type { SetBy } from "#contract/exclusion.ts";

type Results = DecisionReplay["today"]["results"];

/** Of one person or key: others may not see it. */
export const isPersonal = ({ scope }: Pick<SetBy, "scope">): boolean =>
  scope === "user" || scope === "api_key";

/** In place of the name of a rule that the caller may not see. */
export const hiddenRule = "a rule that was deleted or that you may not see";

const unnamed = (setBy: SetBy): SetBy => {
  if (!isPersonal(setBy)) return setBy;
  const { rule_name: _, ...rest } = setBy;
  return rest;
};

/** Without the names of rules of one person or key, which only that person and administrators can see. */
export const withoutPersonalNames = (results: Results): Results =>
  results.map((result) => ({
    ...result,
    excluded: result.excluded.map(({ refusals, ...excluded }) => ({
      ...excluded,
      set_by: unnamed(excluded.set_by),
      ...(excluded.also_set_by && { also_set_by: excluded.also_set_by.map(unnamed) }),
      refusals: refusals.map((refusal) => ({
        ...refusal,
        set_by: unnamed(refusal.set_by),
        ...(refusal.also_set_by && { also_set_by: refusal.also_set_by.map(unnamed) }),
      })),
    })),
  }));
