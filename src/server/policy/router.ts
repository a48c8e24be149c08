import type { Exclusion } from "#contract/exclusion.ts";
import type { ProviderPreferences } from "#contract/preferences.ts";
import { type Api, type Catalogue, type Endpoint, findModel } from "#server/catalog/index.ts";
import { AppError } from "#server/platform/errors.ts";
import type { Random } from "#server/platform/ids.ts";
import { adequateCodes } from "./eu-residency.ts";
import { installationLayer, type Layer, requestLayer, ruleLayer } from "./layer.ts";
import { mergePreferences } from "./merge.ts";
import { rank, type Strategy } from "./rank.ts";
import type { Rule, RuleIndex, Subject } from "./rule-index.ts";
import { type Sifted, sift } from "./sift.ts";
import type { Signals } from "./signals.ts";
import { parseModelName } from "./variant.ts";

/** Which endpoints may serve one model, best first, and why the others may not. */
export interface Decision {
  /** The name as it was asked for. */
  readonly requested: string;
  readonly model: string;
  readonly variant: string | null;
  readonly ranked: readonly Endpoint[];
  readonly excluded: readonly Exclusion[];
  readonly strategy: Strategy;
  readonly effective: ProviderPreferences;
  /** The rules that had a say, the widest first. */
  readonly rules: readonly Rule[];
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
  readonly sessionEndpoint?: string | undefined;
}

export interface Routed {
  /** The models asked for, in order and once each. */
  readonly models: readonly string[];
  /** A decision for each of them the catalogue knows. */
  readonly decisions: readonly Decision[];
}

export interface Router {
  /**
   * Decides for every model a request asks for, itself or through a rule. Throws BAD_REQUEST when nobody says
   * which model is wanted and NOT_FOUND when the named rule is not there.
   */
  route(ask: Ask, context: RouteContext): Routed;
  /** Whether the rule a request names says which models are meant. Throws NOT_FOUND when it is not there. */
  hasModels(ask: Ask, context: RouteContext): boolean;
}

export interface Installation {
  readonly catalogue: Catalogue;
  readonly credentials: { has(slug: string): boolean };
  /** A floor for the whole installation, which rules and requests can only narrow. */
  readonly defaultResidency: string | null;
  /** Adequacy decisions the operator does not rely on, by country code. */
  readonly adequacyOff: ReadonlySet<string>;
  /** The rules as they stand now; a new index when any changed. */
  readonly rules: () => RuleIndex;
  readonly signals: Signals;
  readonly random: Random;
}

interface Prepared {
  readonly sifted: Sifted;
  readonly effective: ProviderPreferences;
  readonly rules: readonly Rule[];
}

const rememberedMax = 10_000;

/** The models of a request, else of the rule it names, else of the narrowest rule that has any. */
function modelsOf(ask: Ask, named: Rule | undefined, index: RuleIndex, subject: Subject): string[] {
  const own = [...(ask.model ? [ask.model] : []), ...(ask.models ?? [])];
  if (own.length > 0) return own.length === 1 ? own : [...new Set(own)];
  if (named && named.models.length > 0) return [...named.models];
  const automatic = index.automatic(subject, null).findLast(({ models }) => models.length > 0);
  if (automatic) return [...automatic.models];
  throw new AppError("BAD_REQUEST", "Say which model is wanted, or name a rule that has one", {
    param: "model",
  });
}

function namedRule(ask: Ask, index: RuleIndex, subject: Subject): Rule | undefined {
  const { rule_id: id, rule_name: name } = ask;
  if (!id && !name) return undefined;
  const rule = index.named(subject, { id: id ?? null, name: name ?? null });
  if (rule) return rule;
  throw new AppError("NOT_FOUND", "No such routing rule is enabled for you", {
    param: id ? "rule_id" : "rule_name",
  });
}

/** The engine that live calls, dry runs and simulations share. What does not vary by request is remembered. */
export function createRouter(installation: Installation): Router {
  const { catalogue, credentials, defaultResidency, signals, random } = installation;
  const adequate = adequateCodes(installation.adequacyOff);
  const rate = catalogue.exchangeRate;
  const floor: readonly Layer[] = defaultResidency
    ? [installationLayer({ data_residency: defaultResidency })]
    : [];
  const remembered = new WeakMap<RuleIndex, Map<string, Prepared | null>>();
  const isKnown = (model: string) => findModel(catalogue, model) !== undefined;

  function prepare(
    model: string,
    own: readonly ProviderPreferences[],
    named: Rule | undefined,
    index: RuleIndex,
    { subject, apis, today }: RouteContext,
  ): Prepared | null {
    const id = findModel(catalogue, model)?.id ?? model;
    const automatic = index.automatic(subject, id).filter((rule) => rule.id !== named?.id);
    const rules = named ? [...automatic, named] : automatic;
    const layers = [...floor, ...rules.map(ruleLayer), ...own.map(requestLayer)];
    const sifted = sift(catalogue, { model, apis, layers, credentials, moment: { today, rate, adequate } });
    return sifted && { sifted, effective: mergePreferences(layers), rules };
  }

  /** Requests without wishes of their own share what was prepared for the same key, rules and model. */
  function recall(
    model: string,
    named: Rule | undefined,
    index: RuleIndex,
    context: RouteContext,
  ): Prepared | null {
    const { subject, apis, today } = context;
    const known = remembered.get(index) ?? new Map<string, Prepared | null>();
    if (known.size === 0) remembered.set(index, known);
    const key = `${subject.keyId ?? subject.userId} ${subject.orgId} ${named?.id} ${today} ${apis[0]} ${apis.length} ${model}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    if (known.size >= rememberedMax) known.clear();
    const prepared = prepare(model, [], named, index, context);
    known.set(key, prepared);
    return prepared;
  }

  function decide(
    name: string,
    ask: Ask,
    named: Rule | undefined,
    index: RuleIndex,
    context: RouteContext,
  ): Decision | null {
    const { model, variant, preferences } = parseModelName(name, isKnown);
    // The variant stands behind the request's own wishes, so an explicit sort wins over it.
    const own = [preferences, ask.provider].filter((wish) => wish != null);
    const prepared =
      own.length === 0 ? recall(model, named, index, context) : prepare(model, own, named, index, context);
    if (!prepared) return null;
    const { sifted, effective, rules } = prepared;
    const { sessionEndpoint } = context;
    const ranking = rank(sifted.eligible, effective, { rate, signals, random, sessionEndpoint });
    return {
      requested: name,
      model: sifted.model.id,
      variant,
      excluded: sifted.excluded,
      effective,
      rules,
      ...ranking,
    };
  }

  return {
    route(ask, context) {
      const index = installation.rules();
      const named = namedRule(ask, index, context.subject);
      const models = modelsOf(ask, named, index, context.subject);
      const decisions = models.flatMap((name) => decide(name, ask, named, index, context) ?? []);
      return { models, decisions };
    },
    hasModels: (ask, { subject }) => (namedRule(ask, installation.rules(), subject)?.models.length ?? 0) > 0,
  };
}
