import type { DecisionReplay } from "#contract/decision-replay.ts";
import { withoutPersonalNames } from "#contract/personal-names.ts";

type Results = DecisionReplay["today"]["results"];

/** In place of the name of a rule that the caller may not see. */
export const hiddenRule = "a rule that was deleted or that you may not see";

/** Without the names of rules of one person or key, which only that person and administrators can see. */
export const impersonalResults = (results: Results): Results =>
  results.map((result) => ({ ...result, excluded: withoutPersonalNames(result.excluded) }));
