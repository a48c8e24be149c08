import type { ProviderPreferences } from "#contract/preferences.ts";
import type { Api, Catalogue } from "#server/catalog/index.ts";
import { choose, type Decision } from "./choose.ts";

export interface Router {
  /** The decision for one model; null when the catalogue does not know it. */
  route(
    model: string,
    apis: readonly Api[],
    preferences: ProviderPreferences | null,
    today: string,
  ): Decision | null;
}

interface Installation {
  readonly catalogue: Catalogue;
  readonly credentials: ReadonlySet<string>;
  /** A floor for the whole installation, which a request can only narrow. */
  readonly defaultResidency: string | null;
}

const noPreferences: ProviderPreferences = {};
const remembered = 1000;

/** The engine over one catalogue. Requests without wishes of their own share a remembered decision. */
export function createRouter({ catalogue, credentials, defaultResidency }: Installation): Router {
  const decisions = new Map<string, Decision | null>();

  function decide(
    model: string,
    apis: readonly Api[],
    preferences: ProviderPreferences,
    today: string,
  ): Decision | null {
    const question = { model, apis, credentials, today };
    const floor = defaultResidency;
    if (floor === null) return choose(catalogue, { ...question, preferences });
    const asked = preferences.data_residency;
    const floored = choose(catalogue, {
      ...question,
      preferences: { ...preferences, data_residency: floor },
      setBy: { data_residency: "installation" },
    });
    if (!floored || !asked || asked === floor) return floored;
    // Both must hold: an endpoint stays only when the floor and the request admit it.
    const own = choose(catalogue, { ...question, preferences });
    const admitted = new Set(own?.ranked.map(({ id }) => id));
    return {
      ...floored,
      effective: preferences,
      ranked: floored.ranked.filter(({ id }) => admitted.has(id)),
      excluded: [
        ...floored.excluded,
        ...(own?.excluded ?? []).filter(
          ({ endpoint }) => !floored.excluded.some((known) => known.endpoint === endpoint),
        ),
      ],
    };
  }

  return {
    route(model, apis, preferences, today) {
      if (preferences) return decide(model, apis, preferences, today);
      const key = `${today} ${apis[0]} ${model}`;
      const known = decisions.get(key);
      if (known !== undefined) return known;
      if (decisions.size >= remembered) decisions.clear();
      const decision = decide(model, apis, noPreferences, today);
      decisions.set(key, decision);
      return decision;
    },
  };
}
