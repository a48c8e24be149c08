export { dryRun, dryRunDraft, dryRunFor, reachableModels, resultsOf, subjectOf } from "./dry-run.ts";
export { eligibilityChange, unservedOrganisations } from "./eligibility.ts";
export { endpointWords } from "./endpoint-words.ts";
export { euResidency } from "./eu-residency.ts";
export { exclusionsOf } from "./explain.ts";
export { isZeroRetention } from "./fields.ts";
export type { Needs } from "./needs.ts";
export type { Strategy } from "./rank.ts";
export { askOf, requestAgain } from "./recorded-generations.ts";
export {
  type FindDocument,
  NotReplayable,
  type RecordedRequest,
  readRoutingInput,
  replayDecision,
} from "./replay.ts";
export { liesWithin } from "./residency.ts";
export { type RouteRecord, routeRecord } from "./route-record.ts";
export {
  type Candidate,
  createRouter,
  type Decision,
  type RouteContext,
  type Routed,
  type Router,
} from "./router.ts";
export { type Rule, RuleIndex } from "./rule-index.ts";
export { ruleModels } from "./rule-models.ts";
export { loadRuleIndex } from "./rule-rows.ts";
export { createRule, getRule, listRules, removeRule, ruleNames, rulesSeen, updateRule } from "./rules.ts";
export { createSessions, type Sessions } from "./sessions.ts";
export {
  type RoutingState,
  routingState,
  type SimulationDeps,
  simulate,
  simulateStates,
} from "./simulate.ts";
export { createStatistics, type Statistics } from "./statistics.ts";
export { strategyWords } from "./strategy-words.ts";
export { transferAreaOf } from "./transfer-area.ts";
