import { compareDimensions, isPlainDimension, type PlainDimension } from "#contract/budget-dimensions.ts";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { BudgetCounter } from "./budget-counter.ts";
import { CounterSet, noCounters } from "./counter-set.ts";
import type { IndexedBudget } from "./indexed-budget.ts";

/** The values of a request. Null: it has none, so budgets with this dimension do not count it. */
export interface BudgetSubject {
  readonly orgId: string;
  readonly workspaceId: string | null;
  readonly keyId: string | null;
  readonly userId: string;
  readonly endUser: string | null;
  /** Values of keys of `metadata` by dimension, each on one line; undefined without any. */
  readonly tags: Readonly<Record<string, string>> | undefined;
  /** The models that may serve it. */
  readonly models: readonly string[];
}

type ValueOf = (subject: BudgetSubject, model: string | null) => string | null;

const plainValues: Record<PlainDimension, ValueOf> = {
  workspace: ({ workspaceId }) => workspaceId,
  key: ({ keyId }) => keyId,
  person: ({ userId }) => userId,
  model: (_, model) => model,
  end_user: ({ endUser }) => endUser,
};

/** How the value of a dimension is read. */
const readerOf = (name: string): ValueOf =>
  isPlainDimension(name) ? plainValues[name] : ({ tags }) => tags?.[name] ?? null;

/**
 * Joins values in the order of `compareDimensions`. Different values give different texts: only the last one, which
 * clients choose, may contain a line break. Null if the request lacks one of them.
 */
function joined(values: readonly ValueOf[], subject: BudgetSubject, model: string | null): string | null {
  let text = "";
  for (let at = 0; at < values.length; at++) {
    const value = (values[at] as ValueOf)(subject, model);
    if (value === null) return null;
    text = at === 0 ? value : `${text}\n${value}`;
  }
  return text;
}

/** One budget with its counters of the current period. */
class Entry {
  readonly budget: IndexedBudget;
  readonly #separate: readonly ValueOf[];
  /** By the values that are counted separately. A map, because a cache reserves memory for all it may hold. */
  readonly #counters = new Map<string, BudgetCounter>();
  /** The counter of a budget that counts nothing separately. */
  #only: BudgetCounter | null = null;

  constructor(budget: IndexedBudget) {
    this.budget = budget;
    const separate = [...budget.dimensions.keys()].filter((name) => budget.dimensions.get(name) === null);
    this.#separate = separate.sort(compareDimensions).map(readerOf);
  }

  counterFor(subject: BudgetSubject, model: string | null, nowMs: number): BudgetCounter | null {
    if (this.#separate.length > 0) return this.#separateCounter(subject, model, nowMs);
    if (!this.#only?.isAt(nowMs)) this.#only = this.#make(subject, model, nowMs);
    return this.#only;
  }

  #separateCounter(subject: BudgetSubject, model: string | null, nowMs: number): BudgetCounter | null {
    const values = joined(this.#separate, subject, model);
    if (values === null) return null;
    const known = this.#counters.get(values);
    if (known?.isAt(nowMs)) return known;
    const made = this.#make(subject, model, nowMs);
    // Those of an earlier period go first. One that is needed again is made again.
    const [oldest] = this.#counters.keys();
    if (this.#counters.size >= limits.budgets.countersMax && oldest !== undefined)
      this.#counters.delete(oldest);
    this.#counters.set(values, made);
    return made;
  }

  #make(subject: BudgetSubject, model: string | null, nowMs: number): BudgetCounter {
    return new BudgetCounter(this.budget, {
      values: this.#separate.map((value) => value(subject, model) ?? ""),
      model: this.budget.dimensions.has("model") ? model : null,
      nowMs,
    });
  }
}

/** Budgets whose fixed dimensions are the same, by the values of these. */
class Shape {
  readonly #names: readonly string[];
  readonly #values: readonly ValueOf[];
  /** Whether the model decides which of its budgets count a request. */
  readonly isByModel: boolean;
  readonly #byValues = new Map<string, Entry[]>();

  constructor(names: readonly string[], isByModel: boolean) {
    this.#names = names;
    this.#values = names.map(readerOf);
    this.isByModel = isByModel;
  }

  add(budget: IndexedBudget): void {
    const values = this.#names.map((name) => budget.dimensions.get(name) ?? "").join("\n");
    const entries = this.#byValues.get(values) ?? [];
    this.#byValues.set(values, entries);
    entries.push(new Entry(budget));
  }

  collect(subject: BudgetSubject, model: string | null, nowMs: number, found: BudgetCounter[]): void {
    const values = joined(this.#values, subject, model);
    if (values === null) return;
    for (const entry of this.#byValues.get(values) ?? []) {
      const counter = entry.counterFor(subject, model, nowMs);
      if (counter) found.push(counter);
    }
  }
}

/** The counters that a subject has. */
interface Match {
  readonly subject: BudgetSubject;
  readonly set: CounterSet;
}

function areSame(some: readonly string[], others: readonly string[]): boolean {
  if (some.length !== others.length) return false;
  for (let at = 0; at < some.length; at++) if (some[at] !== others[at]) return false;
  return true;
}

/** Whether two subjects have the same counters. Tags are compared by identity: two requests with tags may differ. */
const isSame = (one: BudgetSubject, other: BudgetSubject): boolean =>
  one.orgId === other.orgId &&
  one.workspaceId === other.workspaceId &&
  one.keyId === other.keyId &&
  one.userId === other.userId &&
  one.endUser === other.endUser &&
  one.tags === other.tags &&
  areSame(one.models, other.models);

function countersFor(
  shapes: ReadonlyMap<string, Shape>,
  subject: BudgetSubject,
  nowMs: number,
): BudgetCounter[] {
  const found: BudgetCounter[] = [];
  for (const shape of shapes.values())
    if (shape.isByModel) for (const model of subject.models) shape.collect(subject, model, nowMs, found);
    else shape.collect(subject, null, nowMs, found);
  return found;
}

/** The set of these counters: the last one of the caller if it has the same. */
function setOf(counters: readonly BudgetCounter[], last: CounterSet | undefined): CounterSet {
  if (counters.length === 0) return noCounters;
  return last?.has(counters) ? last : new CounterSet(counters);
}

/** All budgets. Those of one request are found by one look-up for each combination of dimensions in use. */
export class BudgetIndex {
  readonly #shapesOf = new Map<string, Map<string, Shape>>();
  readonly #tagNames = new Map<string, Set<string>>();
  readonly #unreadable: ReadonlyMap<string, string>;
  /** The last match of each caller, because most requests have the same one as the caller's previous request. */
  readonly #lastMatches = new Map<string, Match>();

  /** `unreadable` has the name of a budget that cannot be read, by organisation. */
  constructor(budgets: Iterable<IndexedBudget>, unreadable: ReadonlyMap<string, string> = new Map()) {
    this.#unreadable = unreadable;
    for (const budget of budgets) {
      const shapes = this.#shapesOf.get(budget.orgId) ?? new Map<string, Shape>();
      this.#shapesOf.set(budget.orgId, shapes);
      this.#addTagNames(budget);
      const names = [...budget.dimensions.keys()].filter((name) => budget.dimensions.get(name) !== null);
      names.sort(compareDimensions);
      const isByModel = budget.dimensions.has("model");
      const id = `${names.join()} ${isByModel}`;
      const shape = shapes.get(id) ?? new Shape(names, isByModel);
      shapes.set(id, shape);
      shape.add(budget);
    }
  }

  #addTagNames({ orgId, dimensions }: IndexedBudget): void {
    const tags = [...dimensions.keys()].filter((name) => !isPlainDimension(name));
    if (tags.length > 0) this.#tagNames.set(orgId, new Set([...(this.#tagNames.get(orgId) ?? []), ...tags]));
  }

  /** The keys of `metadata` that budgets of an organisation count by; undefined without any. */
  tagNames(orgId: string): Iterable<string> | undefined {
    return this.#tagNames.get(orgId);
  }

  /** Whether an organisation has no budgets. */
  isEmpty(orgId: string): boolean {
    return !this.#shapesOf.has(orgId) && !this.#unreadable.has(orgId);
  }

  /**
   * The counters that count a request. With several models, each counter of one model that may serve it. Throws
   * SERVICE_UNAVAILABLE if a budget of the organisation cannot be read.
   */
  match(subject: BudgetSubject, nowMs: number): CounterSet {
    const unreadable = this.#unreadable.get(subject.orgId);
    if (unreadable !== undefined)
      throw new AppError(
        "SERVICE_UNAVAILABLE",
        `The budget ${unreadable} cannot be read, so it is unknown which requests it allows. An administrator has to disable or delete it.`,
        { metadata: { budget: unreadable } },
      );
    const shapes = this.#shapesOf.get(subject.orgId);
    if (!shapes) return noCounters;
    const caller = subject.keyId ?? subject.userId;
    const last = this.#lastMatches.get(caller);
    if (last?.set.isAt(nowMs) && isSame(last.subject, subject)) return last.set;
    const set = setOf(countersFor(shapes, subject, nowMs), last?.set);
    if (!last && this.#lastMatches.size >= limits.budgets.rememberedCallersMax) this.#lastMatches.clear();
    this.#lastMatches.set(caller, { subject, set });
    return set;
  }
}
