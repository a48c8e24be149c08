export { dryRun } from "./dry-run.ts";
export { euResidency } from "./eu-residency.ts";
export type { Strategy } from "./rank.ts";
export { createRouter, type Decision, type RouteContext, type Router } from "./router.ts";
export { RuleIndex } from "./rule-index.ts";
export { loadRuleIndex } from "./rule-rows.ts";
export { createRule, getRule, listRules, removeRule, updateRule } from "./rules.ts";
export { noSignals } from "./signals.ts";
