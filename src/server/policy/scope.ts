import type { SetBy } from "#contract/exclusion.ts";
import type { ProviderPreferences } from "#contract/preferences.ts";
import type { Rule } from "./rule-index.ts";

/** One wish among all that bear on a request. Lists of layers run from the widest to the narrowest. */
export interface Layer {
  readonly setBy: SetBy;
  readonly preferences: ProviderPreferences;
}

export const ruleLayer = ({ id, name, scope, preferences }: Rule): Layer => ({
  setBy: { scope, rule_id: id, rule_name: name },
  preferences,
});

export const requestLayer = (preferences: ProviderPreferences): Layer => ({
  setBy: { scope: "request" },
  preferences,
});

export const installationLayer = (preferences: ProviderPreferences): Layer => ({
  setBy: { scope: "installation" },
  preferences,
});
