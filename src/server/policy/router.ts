import type { ProviderPreferences } from "#contract/preferences.ts";
import { type Catalogue, type Endpoint, findModel, nameMeant } from "#server/catalog/index.ts";
import { AppError } from "#server/platform/errors.ts";
import type { DecisionInputs } from "./decision-inputs.ts";
import type { Excluded } from "./explain.ts";
import type { Needs } from "./needs.ts";
import { createPreparation, type Installation, type PreparationContext } from "./preparation.ts";
import { type RankContext, rank, type Strategy } from "./rank.ts";
import type { ApplicableRules, Rule, RuleIndex } from "./rule-index.ts";
import { noSignals } from "./signals.ts";
import { parseModelName, withoutVariant } from "./variant.ts";

/** Which endpoints may serve one model, best first, and why the others are excluded. */
export interface Decision {
  /** The name as it was asked for. */
  readonly requested: string;
  readonly model: string;
  readonly variant: string | null;
  readonly ranked: readonly Endpoint[];
  readonly excluded: readonly Excluded[];
  readonly strategy: Strategy;
  readonly effective: ProviderPreferences;
  /** The rules that applied, the widest first. */
  readonly rules: readonly Rule[];
  readonly inputs: DecisionInputs;
}

/** One endpoint that may be tried, with the decision it comes from. */
export interface Candidate {
  readonly endpoint: Endpoint;
  readonly decision: Decision;
  /** Position of its model among the requested ones. */
  readonly modelIndex: number;
}

/** The models, providers and rule a request names. */
export interface Ask {
  readonly model?: string | null | undefined;
  readonly models?: readonly string[] | null | undefined;
  readonly provider?: ProviderPreferences | null | undefined;
  readonly rule_id?: string | null | undefined;
  readonly rule_name?: string | null | undefined;
}

export interface RouteContext extends PreparationContext {
  /** The size and parameters of the request; without it only policy is checked. */
  readonly needs?: Needs | undefined;
  /** The endpoint that served this session before. */
  readonly sessionEndpoint?: string | undefined;
  /** Whether a disabled rule may be named, as in a dry run. */
  readonly disabledRules?: boolean | undefined;
}

export interface Routed {
  /** The models asked for, in order and once each. */
  readonly models: readonly string[];
  /** A decision for each of them the catalogue knows. */
  readonly decisions: readonly Decision[];
  /** Everything that may be tried, in the order in which it is. */
  readonly candidates: readonly Candidate[];
}

export interface Router {
  /**
   * Decides for every model that the request or a rule names. Throws BAD_REQUEST if there is none and NOT_FOUND if
   * the named rule does not exist.
   */
  route(ask: Ask, context: RouteContext): Routed;
  /** The rule a request names, if it names any. Throws NOT_FOUND when it is not there. */
  named(ask: Ask, context: RouteContext): Rule | undefined;
  /** The model probably meant by a name the catalogue does not know. */
  nameMeant(name: string): string | undefined;
  /** The same engine with other rules, without randomness and recent measurements: the cheapest comes first. */
  under(rules: RuleIndex): Router;
  /** The same with another catalogue. */
  over(other: Catalogue): Router;
}

/** The models of a request, else of the rule it names, else of the narrowest rule that has any. */
function modelsOf(ask: Ask, named: Rule | undefined, applicable: ApplicableRules): readonly string[] {
  const own = [...(ask.model ? [ask.model] : []), ...(ask.models ?? [])];
  if (own.length > 0) return own.length === 1 ? own : [...new Set(own)];
  const ruled = named?.models.length ? named.models : applicable.models();
  if (ruled.length > 0) return ruled;
  throw new AppError("BAD_REQUEST", "model: is required, unless a rule names one", { param: "model" });
}

function namedRule(
  { rule_id: id, rule_name: name }: Ask,
  applicable: ApplicableRules,
  disabledToo = false,
): Rule | undefined {
  if (!id && !name) return undefined;
  const rule = applicable.named({ id, name });
  if (rule && (rule.enabled || disabledToo)) return rule;
  const param = id ? "rule_id" : "rule_name";
  throw new AppError("NOT_FOUND", `${param}: no such routing rule is enabled for you`, { param });
}

/** With `sort: {partition: "none"}` the endpoints of all models stand in one list, else model by model. */
function candidatesOf(
  models: readonly string[],
  decisions: readonly Decision[],
  context: RankContext,
): Candidate[] {
  const candidates: Candidate[] = [];
  for (const decision of decisions) {
    const modelIndex = models.indexOf(decision.requested);
    for (const endpoint of decision.ranked) candidates.push({ endpoint, decision, modelIndex });
  }
  const { sort } = decisions[0]?.effective ?? {};
  if (decisions.length < 2 || typeof sort !== "object" || sort?.partition !== "none") return candidates;
  const byEndpoint = new Map(candidates.toReversed().map((candidate) => [candidate.endpoint, candidate]));
  const { ranked } = rank([...byEndpoint.keys()], decisions[0]?.effective ?? {}, context);
  return ranked.flatMap((endpoint) => byEndpoint.get(endpoint) ?? []);
}

/** Without what differs from one request to the next. */
const predictable = { signals: noSignals, random: () => 0.5 };

/** The engine that live calls, dry runs and simulations share. */
export function createRouter(installation: Installation): Router {
  const { catalogue, signals, random } = installation;
  const rate = catalogue.exchangeRate;
  const preparation = createPreparation(installation);
  const isKnown = (model: string) => findModel(catalogue, model) !== undefined;

  function decide(
    name: string,
    ask: Ask,
    named: Rule | undefined,
    rules: { index: RuleIndex; applicable: ApplicableRules },
    context: RouteContext,
    at: number,
  ): Decision | null {
    const { model, variant, preferences } = parseModelName(name, isKnown);
    const base = preparation.prepared(model, named, rules, context);
    if (!base) return null;
    // The variant comes before the request's own preferences, so an explicit sort wins over it.
    const own = [preferences, ask.provider].filter((preference) => preference != null);
    const refined = preparation.refined(base, own, context.today);
    const { effective, rules: applied } = refined;
    const { filtered, inputs } = preparation.suited(refined, context.needs);
    return {
      requested: name,
      model: filtered.model.id,
      variant,
      excluded: filtered.excluded,
      effective,
      rules: applied,
      inputs,
      ...rank(filtered.eligible, effective, rankContext(context, installation.orders?.[at])),
    };
  }

  const rankContext = (
    { sessionEndpoint, needs, apis }: RouteContext,
    order?: ReadonlyMap<string, number>,
  ): RankContext => ({
    rate,
    signals,
    random,
    sessionEndpoint,
    parameters: needs?.parameters,
    apis,
    order,
  });

  return {
    route(ask, context) {
      const index = installation.rules();
      const applicable = index.applicableTo(context.subject);
      const named = namedRule(ask, applicable, context.disabledRules);
      const models = modelsOf(ask, named, applicable);
      const decisions: Decision[] = [];
      for (const name of models) {
        const decision = decide(name, ask, named, { index, applicable }, context, decisions.length);
        if (decision) decisions.push(decision);
      }
      return { models, decisions, candidates: candidatesOf(models, decisions, rankContext(context)) };
    },
    named: (ask, { subject, disabledRules }) =>
      namedRule(ask, installation.rules().applicableTo(subject), disabledRules),
    nameMeant: (name) => nameMeant(catalogue, withoutVariant(name)),
    under: (rules) => createRouter({ ...installation, ...predictable, rules: () => rules }),
    over: (other) => createRouter({ ...installation, ...predictable, catalogue: other }),
  };
}
