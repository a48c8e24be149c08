import type { Api } from "#contract/inference-operations.ts";
import type { ProviderPreferences } from "#contract/preferences.ts";
import { type Catalogue, type Endpoint, findModel, nameMeant } from "#server/catalog/index.ts";
import { AppError } from "#server/platform/errors.ts";
import type { Random } from "#server/platform/ids.ts";
import { adequateCodes } from "./eu-residency.ts";
import type { Dropped } from "./explain.ts";
import { type Sifted, siftLayers, siftUsable } from "./filter.ts";
import { mergePreferences } from "./merge.ts";
import { decidesParameters, type Needs, siftNeeds } from "./needs.ts";
import { type RankContext, rank, type Strategy } from "./rank.ts";
import type { Reach, Rule, RuleIndex, Subject } from "./rule-index.ts";
import { installationLayer, type Layer, requestLayer, ruleLayer } from "./scope.ts";
import { noSignals, type Signals } from "./signals.ts";
import { parseModelName, withoutVariant } from "./variant.ts";

/** Which endpoints may serve one model, best first, and why the others may not. */
export interface Decision {
  /** The name as it was asked for. */
  readonly requested: string;
  readonly model: string;
  readonly variant: string | null;
  readonly ranked: readonly Endpoint[];
  readonly dropped: readonly Dropped[];
  readonly strategy: Strategy;
  readonly effective: ProviderPreferences;
  /** The rules that had a say, the widest first. */
  readonly rules: readonly Rule[];
}

/** One endpoint that may be tried, with the decision it comes from. */
export interface Candidate {
  readonly endpoint: Endpoint;
  readonly decision: Decision;
  /** Position of its model among the requested ones. */
  readonly modelIndex: number;
}

/** What a request says about its models and providers. */
export interface Ask {
  readonly model?: string | null | undefined;
  readonly models?: readonly string[] | null | undefined;
  readonly provider?: ProviderPreferences | null | undefined;
  readonly rule_id?: string | null | undefined;
  readonly rule_name?: string | null | undefined;
}

export interface RouteContext {
  readonly subject: Subject;
  /** The operations that can carry the request. */
  readonly apis: readonly Api[];
  /** `YYYY-MM-DD`. */
  readonly today: string;
  /** What the request needs; without it only policy is asked. */
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
   * Decides for every model a request asks for, itself or through a rule. Throws BAD_REQUEST when nobody says
   * which model is wanted and NOT_FOUND when the named rule is not there.
   */
  route(ask: Ask, context: RouteContext): Routed;
  /** The rule a request names, if it names any. Throws NOT_FOUND when it is not there. */
  named(ask: Ask, context: RouteContext): Rule | undefined;
  /** The model probably meant by a name the catalogue does not know. */
  nameMeant(name: string): string | undefined;
  /** The same engine under other rules, without luck and without what was seen lately: the cheapest comes first. */
  under(rules: RuleIndex): Router;
}

export interface Installation {
  readonly catalogue: Catalogue;
  readonly credentials: { has(slug: string): boolean };
  /** Providers the caller's organisation reaches for a model with credentials from the database. */
  readonly ownProviders?: (subject: Subject, model: string) => ReadonlySet<string>;
  /** A floor for the whole installation, which rules and requests can only narrow. */
  readonly defaultResidency: string | null;
  /** Adequacy decisions the operator does not rely on, by country code. */
  readonly adequacyExclude: ReadonlySet<string>;
  /** The rules as they stand now; a new index when any changed. */
  readonly rules: () => RuleIndex;
  readonly signals: Signals;
  readonly random: Random;
}

/** What the installation and the rules make of a model, before a request says anything of its own. */
interface Prepared {
  readonly sifted: Sifted;
  readonly effective: ProviderPreferences;
  readonly rules: readonly Rule[];
  /** Whose wish about `require_parameters` counts. */
  readonly parameters: Layer | undefined;
}

const rememberedMax = 10_000;
const noProviders: ReadonlySet<string> = new Set();

/** The models of a request, else of the rule it names, else of the narrowest rule that has any. */
function modelsOf(ask: Ask, named: Rule | undefined, reach: Reach): readonly string[] {
  const own = [...(ask.model ? [ask.model] : []), ...(ask.models ?? [])];
  if (own.length > 0) return own.length === 1 ? own : [...new Set(own)];
  const ruled = named?.models.length ? named.models : reach.models();
  if (ruled.length > 0) return ruled;
  throw new AppError("BAD_REQUEST", "model: is required, unless a rule names one", { param: "model" });
}

function namedRule(
  { rule_id: id, rule_name: name }: Ask,
  reach: Reach,
  disabledToo = false,
): Rule | undefined {
  if (!id && !name) return undefined;
  const rule = reach.named({ id, name });
  if (rule && (rule.enabled || disabledToo)) return rule;
  const param = id ? "rule_id" : "rule_name";
  throw new AppError("NOT_FOUND", `${param}: no such routing rule is enabled for you`, { param });
}

/** Other names of each model, for rules that are written with them. */
function namesByModel({ models, aliases }: Catalogue): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>([...models.keys()].map((id) => [id, [id]]));
  for (const [alias, id] of aliases) names.get(id)?.push(alias);
  return names;
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

/** The engine that live calls, dry runs and simulations share. What does not vary by request is remembered. */
export function createRouter(installation: Installation): Router {
  const { catalogue, credentials, defaultResidency, signals, random } = installation;
  const adequate = adequateCodes(installation.adequacyExclude);
  const rate = catalogue.exchangeRate;
  const names = namesByModel(catalogue);
  const floor: readonly Layer[] = defaultResidency
    ? [installationLayer({ data_residency: defaultResidency })]
    : [];
  const remembered = new WeakMap<RuleIndex, Map<string, Prepared | null>>();
  const isKnown = (model: string) => findModel(catalogue, model) !== undefined;

  function prepare(
    model: string,
    named: Rule | undefined,
    reach: Reach,
    context: RouteContext,
    own: ReadonlySet<string>,
  ): Prepared | null {
    const { apis, today } = context;
    const moment = { today, rate, adequate };
    const either = { has: (slug: string) => credentials.has(slug) || own.has(slug) };
    const usable = siftUsable(catalogue, { model, apis, credentials: either, moment });
    if (!usable) return null;
    const automatic = reach.automatic(names.get(usable.model.id) ?? [model]);
    const rules = named ? [...automatic.filter((rule) => rule.id !== named.id), named] : automatic;
    const layers = [...floor, ...rules.map(ruleLayer)];
    const sifted = siftLayers(usable, layers, moment);
    return { sifted, effective: mergePreferences(layers), rules, parameters: decidesParameters(layers) };
  }

  /** Callers who are bound by the same rules share what was prepared for a model. */
  function recall(
    model: string,
    named: Rule | undefined,
    { index, reach }: { index: RuleIndex; reach: Reach },
    context: RouteContext,
  ): Prepared | null {
    const known = remembered.get(index) ?? new Map<string, Prepared | null>();
    remembered.set(index, known);
    const own =
      installation.ownProviders?.(context.subject, findModel(catalogue, model)?.id ?? model) ?? noProviders;
    const owned = own.size === 0 ? "" : [...own].join();
    const key = `${reach.key} ${named?.id} ${context.today} ${context.apis.join()} ${owned} ${model}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    if (known.size >= rememberedMax) known.clear();
    const prepared = prepare(model, named, reach, context, own);
    known.set(key, prepared);
    return prepared;
  }

  /** Adds what the request itself wishes. Each wish is a test of its own, so the order of adding does not matter. */
  function refine(prepared: Prepared, own: readonly ProviderPreferences[], today: string): Prepared {
    if (own.length === 0) return prepared;
    const { sifted, effective, rules, parameters } = prepared;
    const wishes = own.map(requestLayer);
    return {
      sifted: siftLayers(sifted, wishes, { today, rate, adequate }),
      effective: mergePreferences(wishes, effective),
      rules,
      parameters: decidesParameters(wishes) ?? parameters,
    };
  }

  function decide(
    name: string,
    ask: Ask,
    named: Rule | undefined,
    rules: { index: RuleIndex; reach: Reach },
    context: RouteContext,
  ): Decision | null {
    const { model, variant, preferences } = parseModelName(name, isKnown);
    const base = recall(model, named, rules, context);
    if (!base) return null;
    // The variant stands behind the request's own wishes, so an explicit sort wins over it.
    const own = [preferences, ask.provider].filter((wish) => wish != null);
    const { sifted: admitted, effective, rules: said, parameters } = refine(base, own, context.today);
    const { needs } = context;
    const sifted = needs ? siftNeeds(admitted, needs, parameters) : admitted;
    return {
      requested: name,
      model: sifted.model.id,
      variant,
      dropped: sifted.dropped,
      effective,
      rules: said,
      ...rank(sifted.eligible, effective, rankContext(context)),
    };
  }

  const rankContext = ({ sessionEndpoint, needs }: RouteContext): RankContext => ({
    rate,
    signals,
    random,
    sessionEndpoint,
    parameters: needs?.parameters,
  });

  return {
    route(ask, context) {
      const index = installation.rules();
      const reach = index.reach(context.subject);
      const named = namedRule(ask, reach, context.disabledRules);
      const models = modelsOf(ask, named, reach);
      const decisions: Decision[] = [];
      for (const name of models) {
        const decision = decide(name, ask, named, { index, reach }, context);
        if (decision) decisions.push(decision);
      }
      return { models, decisions, candidates: candidatesOf(models, decisions, rankContext(context)) };
    },
    named: (ask, { subject, disabledRules }) =>
      namedRule(ask, installation.rules().reach(subject), disabledRules),
    nameMeant: (name) => nameMeant(catalogue, withoutVariant(name)),
    under: (rules) =>
      createRouter({ ...installation, rules: () => rules, signals: noSignals, random: () => 0.5 }),
  };
}
