import type { RuleScope } from "#contract/routing-rule.ts";

/** What a rule applies to, the widest scope first. */
export const scopes: Record<RuleScope, { label: string; description: string }> = {
  org: { label: "Organisation", description: "every request of the organisation" },
  workspace: { label: "Workspace", description: "requests of the keys of one workspace" },
  user: { label: "Me", description: "requests of your own keys" },
  api_key: { label: "API key", description: "requests of one key" },
};
export const isScope = (text: string): text is RuleScope => Object.hasOwn(scopes, text);
export const scopeChoices = Object.keys(scopes)
  .filter(isScope)
  .map((value) => ({ value, label: `${scopes[value].label}: ${scopes[value].description}` }));

/** What a new rule begins with: the scope that the list is filtered by, else the widest the person may write rules for. */
export const newRuleScope = (
  filteredBy: string | null,
  mayChange: (scope: RuleScope) => boolean,
): RuleScope => {
  if (filteredBy !== null && isScope(filteredBy) && mayChange(filteredBy)) return filteredBy;
  return mayChange("org") ? "org" : "user";
};
