import type { ProviderPreferences } from "#contract/preferences.ts";
import type { RuleScope } from "#contract/routing-rule.ts";
import { nameKey } from "#server/platform/name-key.ts";
import { withoutVariant } from "./variant.ts";

/** A routing rule as the engine sees it. */
export interface Rule {
  readonly id: string;
  readonly name: string;
  readonly scope: RuleScope;
  /** The user, organisation, workspace or key it applies to. */
  readonly ownerId: string;
  /** The workspace it is confined to, beside its scope; null for everywhere. */
  readonly workspaceId: string | null;
  readonly orgId: string;
  /** What it is for; empty = every model. Also what a request without a model gets. */
  readonly models: readonly string[];
  readonly preferences: ProviderPreferences;
  /** False: it applies to no request; only a dry run may name it. */
  readonly enabled: boolean;
  /** False: it applies only when a request names it. */
  readonly autoApply: boolean;
  readonly updatedAtMs: number;
}

/** Who sends a request. */
export interface Subject {
  readonly orgId: string;
  readonly userId: string;
  readonly workspaceId: string | null;
  readonly keyId: string | null;
}

/** Scopes from the narrowest to the widest. */
const scopesByNarrowness: readonly RuleScope[] = ["api_key", "user", "workspace", "org"];

const ownerOf: Record<RuleScope, (subject: Subject) => string | null> = {
  org: ({ orgId }) => orgId,
  workspace: ({ workspaceId }) => workspaceId,
  user: ({ userId }) => userId,
  api_key: ({ keyId }) => keyId,
};

/** Within a scope, lower precedence first: generic before model-specific, then older, then the smaller id. */
function byPrecedence(a: Rule, b: Rule): number {
  const specific = Number(a.models.length > 0) - Number(b.models.length > 0);
  return specific || a.updatedAtMs - b.updatedAtMs || (a.id < b.id ? -1 : 1);
}

/** Model names are compared without case. */
const keyOf = (model: string): string => model.toLowerCase();

/** To whom the rules of one owner apply. */
type Place = Pick<Rule, "orgId" | "scope" | "workspaceId">;

/** The rules of one owner, by model for rules that apply automatically, by id and name for all of them. */
class Shelf {
  readonly number: number;
  readonly #place: Place;
  readonly generic: Rule[] = [];
  readonly byId = new Map<string, Rule>();
  readonly byName = new Map<string, Rule>();
  readonly #byModel = new Map<string, Rule[]>();
  /** The models of a request that names none. */
  models: readonly string[] = [];

  constructor(number: number, { orgId, scope, workspaceId }: Place) {
    this.number = number;
    this.#place = { orgId, scope, workspaceId };
  }

  standsAt({ orgId, scope, workspaceId }: Place): boolean {
    const place = this.#place;
    return place.scope === scope && place.workspaceId === workspaceId && place.orgId === orgId;
  }

  /** Rules come in the order of `byPrecedence`. */
  add(rule: Rule): void {
    this.byId.set(rule.id, rule);
    this.byName.set(nameKey(rule.name), rule);
    if (!rule.enabled || !rule.autoApply) return;
    if (rule.models.length === 0) this.generic.push(rule);
    else this.models = rule.models;
    for (const model of new Set(rule.models.map(keyOf).flatMap((name) => [name, withoutVariant(name)]))) {
      const known = this.#byModel.get(model);
      if (known) known.push(rule);
      else this.#byModel.set(model, [rule]);
    }
  }

  specific(names: readonly string[]): readonly Rule[] {
    const found = names.flatMap((name) => this.#byModel.get(keyOf(name)) ?? []);
    return names.length === 1 || found.length < 2 ? found : [...new Set(found)].sort(byPrecedence);
  }
}

/** The rules that apply to the requests of one subject. Subjects with the same rules share a `key`. */
export interface ApplicableRules {
  readonly key: string;
  /** The rules that apply automatically to a model with any of `names`; lower precedence first. */
  automatic(names: readonly string[]): Rule[];
  /** The models the narrowest rule that has any gives to a request without; empty when none does. */
  models(): readonly string[];
  /** The rule a request names, by id or else by name, disabled ones included; narrow scopes are looked at first. */
  named(by: { id?: string | null | undefined; name?: string | null | undefined }): Rule | undefined;
}

/** All rules, indexed so that those of one request are found without a scan. */
export class RuleIndex {
  readonly #shelvesOf = new Map<string, Shelf[]>();

  constructor(rules: Iterable<Rule>) {
    let count = 0;
    for (const rule of [...rules].sort(byPrecedence)) {
      const shelves = this.#shelvesOf.get(rule.ownerId) ?? [];
      this.#shelvesOf.set(rule.ownerId, shelves);
      const known = shelves.find((one) => one.standsAt(rule));
      const shelf = known ?? new Shelf(count++, rule);
      if (!known) shelves.push(shelf);
      shelf.add(rule);
    }
  }

  applicableTo(subject: Subject): ApplicableRules {
    const shelves: Shelf[] = [];
    for (const scope of scopesByNarrowness) {
      const ownerId = ownerOf[scope](subject);
      const owned = ownerId === null ? undefined : this.#shelvesOf.get(ownerId);
      if (!owned) continue;
      const { orgId } = subject;
      // Within a scope what is confined to a workspace is narrower.
      for (const workspaceId of subject.workspaceId === null ? [null] : [subject.workspaceId, null]) {
        const shelf = owned.find((one) => one.standsAt({ orgId, scope, workspaceId }));
        if (shelf) shelves.push(shelf);
      }
    }
    return {
      key: shelves.map(({ number }) => number).join("."),
      automatic: (names) =>
        shelves.toReversed().flatMap((shelf) => [...shelf.generic, ...shelf.specific(names)]),
      models: () => shelves.find(({ models }) => models.length > 0)?.models ?? [],
      named({ id, name }) {
        for (const { byId, byName } of shelves) {
          const rule = id ? byId.get(id) : byName.get(nameKey(name ?? ""));
          if (rule) return rule;
        }
        return undefined;
      },
    };
  }
}
