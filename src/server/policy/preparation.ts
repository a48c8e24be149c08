import type { Api } from "#contract/inference-operations.ts";
import type { ProviderPreferences } from "#contract/preferences.ts";
import { type Catalogue, type Credentials, findModel } from "#server/catalog/index.ts";
import type { Random } from "#server/platform/ids.ts";
import { adequateCodes } from "./eu-residency.ts";
import { filterByPreferences, filterUsable } from "./filter.ts";
import { mergePreferences } from "./merge.ts";
import { decidesParameters, type Needs } from "./needs.ts";
import type { ApplicableRules, Rule, RuleIndex, Subject } from "./rule-index.ts";
import {
  installationPreferences,
  requestPreferences,
  rulePreferences,
  type ScopedPreferences,
} from "./scope.ts";
import type { Signals } from "./signals.ts";
import { type Admitted, createSuiting, type Suited } from "./suit.ts";

export interface PreparationContext {
  readonly subject: Subject;
  /** The operations that can carry the request. */
  readonly apis: readonly Api[];
  /** `YYYY-MM-DD`. */
  readonly today: string;
}

export interface Installation {
  readonly catalogue: Catalogue;
  readonly credentials: { has(slug: string): boolean };
  /** Providers the caller's organisation reaches for a model with credentials from the database. */
  readonly ownProviders?: (subject: Subject, model: string) => ReadonlySet<string>;
  /** Of these, those whose only own credential cannot be read. */
  readonly unreadableOwn?: (subject: Subject, model: string) => ReadonlySet<string>;
  /** A floor for the whole installation, which rules and requests can only narrow. */
  readonly defaultResidency: string | null;
  /** Adequacy decisions the operator does not rely on, by country code. */
  readonly adequacyExclude: ReadonlySet<string>;
  /** The rules as they stand now; a new index when any changed. */
  readonly rules: () => RuleIndex;
  readonly signals: Signals;
  readonly random: Random;
  /** For each decision the recorded order of endpoints, by ID, instead of measurements and chance. */
  readonly orders?: readonly ReadonlyMap<string, number>[];
}

/** The result of the installation and its rules for a model, before the preferences of the request. */
interface Prepared extends Admitted {
  readonly effective: ProviderPreferences;
  readonly rules: readonly Rule[];
}

/** Providers by what the database has for the organisation. */
interface Brought {
  readonly own: ReadonlySet<string>;
  readonly unreadable: ReadonlySet<string>;
}

const withOwn = (installation: Credentials, { own, unreadable }: Brought): Credentials => ({
  has: (name) => installation.has(name) || own.has(name),
  isUnreadable: (name) => unreadable.has(name),
});

const cachedMax = 10_000;
/** Different preferences of requests for one model under the same rules. */
const refinedMax = 100;
const noProviders: ReadonlySet<string> = new Set();

/** Other names of each model, for rules that are written with them. */
function namesByModel({ models, aliases }: Catalogue): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>([...models.keys()].map((id) => [id, [id]]));
  for (const [alias, id] of aliases) names.get(id)?.push(alias);
  return names;
}

interface Preparation {
  prepared(
    model: string,
    named: Rule | undefined,
    rules: { index: RuleIndex; applicable: ApplicableRules },
    context: PreparationContext,
  ): Prepared | null;
  refined(base: Prepared, own: readonly ProviderPreferences[], today: string): Prepared;
  suited(base: Prepared, needs: Needs | undefined): Suited;
}

type Prepare = (
  model: string,
  named: Rule | undefined,
  applicable: ApplicableRules,
  context: PreparationContext,
  brought: Brought,
) => Prepared | null;

/** Returns what works out the result of the installation and its rules for a model. */
function createPreparing(installation: Installation, adequate: ReadonlySet<string>): Prepare {
  const { catalogue, credentials, defaultResidency } = installation;
  const rate = catalogue.exchangeRate;
  const names = namesByModel(catalogue);
  const floor: readonly ScopedPreferences[] = defaultResidency
    ? [installationPreferences({ data_residency: defaultResidency })]
    : [];
  return (model, named, applicable, context, brought) => {
    const { apis, today } = context;
    const moment = { today, rate, adequate };
    const either = withOwn(credentials, brought);
    const usable = filterUsable(catalogue, { model, apis, credentials: either, moment });
    if (!usable) return null;
    const automatic = applicable.automatic(names.get(usable.model.id) ?? [model]);
    const rules = named ? [...automatic.filter((rule) => rule.id !== named.id), named] : automatic;
    const scoped = [...floor, ...rules.map(rulePreferences)];
    const considered = {
      model: usable.model,
      aliases: names.get(usable.model.id)?.slice(1) ?? [],
      endpoints: catalogue.endpointsByModel.get(usable.model.id) ?? [],
      ...{ apis, credentials: either, defaultResidency, adequacyExclude: installation.adequacyExclude },
    };
    const filtered = filterByPreferences(usable, scoped, moment);
    return {
      considered,
      filtered,
      effective: mergePreferences(scoped),
      rules,
      parameters: decidesParameters(scoped),
    };
  };
}

/** Everything about a model that does not vary by request is worked out once and cached. */
export function createPreparation(installation: Installation): Preparation {
  const { catalogue } = installation;
  const adequate = adequateCodes(installation.adequacyExclude);
  const rate = catalogue.exchangeRate;
  const prepare = createPreparing(installation, adequate);
  const cached = new WeakMap<RuleIndex, Map<string, Prepared | null>>();
  const cachedRefined = new WeakMap<Prepared, Map<string, Prepared>>();

  /** Cached for each model and set of applicable rules. */
  function prepared(
    model: string,
    named: Rule | undefined,
    { index, applicable }: { index: RuleIndex; applicable: ApplicableRules },
    context: PreparationContext,
  ): Prepared | null {
    const known = cached.get(index) ?? new Map<string, Prepared | null>();
    cached.set(index, known);
    const id = findModel(catalogue, model)?.id ?? model;
    const own = installation.ownProviders?.(context.subject, id) ?? noProviders;
    const unreadable = installation.unreadableOwn?.(context.subject, id) ?? noProviders;
    const owned = own.size + unreadable.size === 0 ? "" : `${[...own].join()}!${[...unreadable].join()}`;
    const key = `${applicable.key} ${named?.id} ${context.today} ${context.apis.join()} ${owned} ${model}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    if (known.size >= cachedMax) known.clear();
    const made = prepare(model, named, applicable, context, { own, unreadable });
    known.set(key, made);
    return made;
  }

  /** Adds the preferences of the request. Each is checked by itself, so their order does not matter. */
  function refine(base: Prepared, own: readonly ProviderPreferences[], today: string): Prepared {
    const { considered, filtered, effective, rules, parameters } = base;
    const requested = own.map(requestPreferences);
    return {
      considered,
      filtered: filterByPreferences(filtered, requested, { today, rate, adequate }),
      effective: mergePreferences(requested, effective),
      rules,
      parameters: decidesParameters(requested) ?? parameters,
    };
  }

  /** Cached for each day's preparation and the preferences of the request. */
  function refined(base: Prepared, own: readonly ProviderPreferences[], today: string): Prepared {
    if (own.length === 0) return base;
    const known = cachedRefined.get(base) ?? new Map<string, Prepared>();
    cachedRefined.set(base, known);
    const key = JSON.stringify(own);
    const found = known.get(key);
    if (found) return found;
    if (known.size >= refinedMax) known.clear();
    const made = refine(base, own, today);
    known.set(key, made);
    return made;
  }

  return { prepared, refined, suited: createSuiting() };
}
