import type { Considered, DecidingSize, DecisionInputs } from "./decision-inputs.ts";
import type { Filtered } from "./filter.ts";
import { allFit, filterByNeeds, type Needs, smallestPrompt } from "./needs.ts";
import type { ScopedPreferences } from "./scope.ts";

/** The endpoints that rules and preferences admit. */
export interface Admitted {
  readonly considered: Considered;
  readonly filtered: Filtered;
  /** Whose preference about `require_parameters` counts. */
  readonly parameters: ScopedPreferences | undefined;
}

/** Those of them that suit the size, the parameters and the content of a request. */
export interface Suited {
  readonly filtered: Filtered;
  readonly inputs: DecisionInputs;
}

/** Different parameters and contents of requests under the same rules and preferences. */
const suitedMax = 100;

function suit(
  { considered, filtered, parameters }: Admitted,
  needs: Needs | undefined,
  size: DecidingSize | null,
): Suited {
  return {
    filtered: needs ? filterByNeeds(filtered, needs, considered.apis, parameters) : filtered,
    inputs: { considered, parameters: needs?.parameters ?? [], size },
  };
}

/** Excludes endpoints that do not suit a request. Results are cached, unless its size excludes one. */
export function createSuiting(): (admitted: Admitted, needs: Needs | undefined) => Suited {
  const cached = new WeakMap<Admitted, Map<string, Suited>>();
  return (admitted, needs) => {
    const { filtered } = admitted;
    if (needs && !allFit(filtered, needs)) {
      const { maxTokens } = needs;
      return suit(admitted, needs, { promptTokens: smallestPrompt(filtered, needs), maxTokens });
    }
    const known = cached.get(admitted) ?? new Map<string, Suited>();
    cached.set(admitted, known);
    const key = needs ? `${needs.parameters} ${needs.inputModalities} ${needs.outputModalities}` : "";
    const found = known.get(key);
    if (found) return found;
    if (known.size >= suitedMax) known.clear();
    const made = suit(admitted, needs, null);
    known.set(key, made);
    return made;
  };
}
