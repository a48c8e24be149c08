import type { SetBy } from "#contract/exclusion.ts";
import type { ProviderPreferences } from "#contract/preferences.ts";

/** One wish among all that bear on a request. */
export interface Layer {
  readonly setBy: SetBy;
  readonly preferences: ProviderPreferences;
}

const width: Record<SetBy["scope"], number> = {
  installation: 0,
  org: 1,
  workspace: 2,
  user: 3,
  api_key: 4,
  request: 5,
};

/** Negative when `a` is wider than `b`: account → org → workspace → user → key → request. */
export const compareWidth = (a: Layer, b: Layer): number => width[a.setBy.scope] - width[b.setBy.scope];
