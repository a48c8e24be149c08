import type { ProviderPreferences } from "#contract/preferences.ts";
import type { RuleScope } from "#contract/routing-rule.ts";

/** A routing rule as the engine sees it. */
export interface Rule {
  readonly id: string;
  readonly name: string;
  readonly scope: RuleScope;
  /** The user, organisation, workspace or key it binds. */
  readonly ownerId: string;
  readonly orgId: string;
  /** What it is for; empty = every model. Also what a request without a model gets. */
  readonly models: readonly string[];
  readonly preferences: ProviderPreferences;
  /** False: a preset that applies only when a request names it. */
  readonly autoApply: boolean;
  readonly updatedAtMs: number;
}

/** Whom a request comes from, as far as rules care. */
export interface Subject {
  readonly orgId: string;
  readonly userId: string;
  readonly workspaceId: string | null;
  readonly keyId: string | null;
}

/** Scopes from the widest to the narrowest. */
export const scopesByWidth: readonly RuleScope[] = ["org", "workspace", "user", "api_key"];

const ownerOf: Record<RuleScope, (subject: Subject) => string | null> = {
  org: ({ orgId }) => orgId,
  workspace: ({ workspaceId }) => workspaceId,
  user: ({ userId }) => userId,
  api_key: ({ keyId }) => keyId,
};

/** Inside a scope, what counts less first: generic before model-specific, then older, then the smaller id. */
function byPrecedence(a: Rule, b: Rule): number {
  const specific = Number(a.models.length > 0) - Number(b.models.length > 0);
  return specific || a.updatedAtMs - b.updatedAtMs || (a.id < b.id ? -1 : 1);
}

interface Shelf {
  readonly generic: Rule[];
  readonly byModel: Map<string, Rule[]>;
  readonly all: Rule[];
}

const shelfKey = (orgId: string, scope: RuleScope, ownerId: string): string => `${orgId} ${scope} ${ownerId}`;

/** All enabled rules, laid out so that those of one request are found without looking at the others. */
export class RuleIndex {
  readonly #shelves = new Map<string, Shelf>();

  constructor(rules: Iterable<Rule>) {
    for (const rule of [...rules].sort(byPrecedence)) {
      const shelf = this.#shelf(shelfKey(rule.orgId, rule.scope, rule.ownerId));
      shelf.all.push(rule);
      if (!rule.autoApply) continue;
      if (rule.models.length === 0) shelf.generic.push(rule);
      for (const model of rule.models) {
        const known = shelf.byModel.get(model);
        if (known) known.push(rule);
        else shelf.byModel.set(model, [rule]);
      }
    }
  }

  /** The rules that apply by themselves to a model, or to a request that names none; what counts least first. */
  automatic(subject: Subject, model: string | null): Rule[] {
    return this.#reach(subject).flatMap((shelf) => {
      if (model === null) return shelf.all.filter(({ autoApply }) => autoApply);
      return [...shelf.generic, ...(shelf.byModel.get(model) ?? [])];
    });
  }

  /** The rule a request names, by id or else by name; narrow scopes are looked at first. */
  named(subject: Subject, { id, name }: { id?: string | null; name?: string | null }): Rule | undefined {
    const key = name?.trim().toLowerCase();
    for (const shelf of this.#reach(subject).reverse()) {
      const rule = shelf.all.find((candidate) =>
        id ? candidate.id === id : candidate.name.toLowerCase() === key,
      );
      if (rule) return rule;
    }
    return undefined;
  }

  #reach(subject: Subject): Shelf[] {
    return scopesByWidth.flatMap((scope) => {
      const ownerId = ownerOf[scope](subject);
      const shelf = ownerId === null ? undefined : this.#shelves.get(shelfKey(subject.orgId, scope, ownerId));
      return shelf ?? [];
    });
  }

  #shelf(key: string): Shelf {
    const known = this.#shelves.get(key);
    if (known) return known;
    const made: Shelf = { generic: [], byModel: new Map(), all: [] };
    this.#shelves.set(key, made);
    return made;
  }
}
