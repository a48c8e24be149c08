import type { SetBy } from "#contract/exclusion.ts";
import type { ProviderPreferences } from "#contract/preferences.ts";
import type { Rule } from "./rule-index.ts";

/** Preferences and who set them. Lists are sorted from the widest scope to the narrowest. */
export interface ScopedPreferences {
  readonly setBy: SetBy;
  readonly preferences: ProviderPreferences;
}

export const rulePreferences = ({ id, name, scope, preferences }: Rule): ScopedPreferences => ({
  setBy: { scope, rule_id: id, rule_name: name },
  preferences,
});

export const requestPreferences = (preferences: ProviderPreferences): ScopedPreferences => ({
  setBy: { scope: "request" },
  preferences,
});

export const installationPreferences = (preferences: ProviderPreferences): ScopedPreferences => ({
  setBy: { scope: "installation" },
  preferences,
});
