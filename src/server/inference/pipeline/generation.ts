import type { Caller } from "#server/access/caller.ts";
import {
  type Admission,
  type AttemptRecord,
  type Cost,
  costOf,
  type GenerationRow,
  noCost,
  noUsage,
  type Usage,
} from "#server/billing/index.ts";
import { addNearestHeaders, type CounterSet, noCounters } from "#server/budgets/index.ts";
import type { Endpoint } from "#server/catalog/index.ts";
import { clock } from "#server/platform/clock.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import type { ExchangeRate } from "#server/platform/money.ts";
import { type FieldNames, ParameterChanges } from "../parameters/changes.ts";
import { admissionOf, type Ending, type LacksBasis, type RequestMeta, rowOf } from "./generation-records.ts";
import { isPaidByOrganisation, type Target } from "./own-credentials.ts";
import type { Plan } from "./plan.ts";
import { type RecordedAs, recordable } from "./recorded-request.ts";
import type { InferenceRequest } from "./request.ts";
import type { Reservation } from "./reserve.ts";

type KeyCaller = Extract<Caller, { kind: "key" }>;

/** One inference request from admission to its record. Fixes price and rate, counts attempts, measures time. */
export class Generation {
  readonly id: string;
  /** When it was routed. */
  readonly startedMs: number;
  readonly #startedMonotonicMs = clock.monotonicMs();
  readonly attempts: AttemptRecord[] = [];
  readonly caller: KeyCaller;
  readonly #operation: RecordedAs;
  readonly #request: InferenceRequest;
  readonly #meta: RequestMeta;
  readonly #plan: Plan;
  readonly #rate: ExchangeRate;
  #served: Target | null = null;
  #appliedTokenLimit: number | null = null;
  readonly #fieldNames: FieldNames | undefined;
  #changes = new ParameterChanges();
  /** The operation of the current attempt. */
  #api: string | undefined;
  #tryingSinceMs = this.#startedMonotonicMs;
  #contentSinceMs = this.#startedMonotonicMs;
  #latencyMs: number | null = null;
  #tags: GenerationRow["tags"];
  #counters: CounterSet = noCounters;
  #held: Reservation["held"] = [];
  #priced: { readonly usage: Usage; readonly served: Target | null; readonly cost: Cost } | undefined;
  readonly #lacksBasis: LacksBasis;
  /** The common part of every record of this generation: ADMIT, PROGRESS and FINAL. */
  #admitted: Admission | undefined;

  constructor(
    caller: KeyCaller,
    operation: RecordedAs,
    request: InferenceRequest,
    meta: RequestMeta,
    plan: Plan,
    rate: ExchangeRate,
    fieldNames?: FieldNames,
    lacksBasis: LacksBasis = () => true,
    startedMs = clock.nowMs(),
  ) {
    this.startedMs = startedMs;
    this.#fieldNames = fieldNames;
    this.id = meta.generationId ?? uuidv7();
    this.caller = caller;
    this.#operation = operation;
    this.#request = request;
    this.#meta = meta;
    this.#plan = plan;
    this.#rate = rate;
    this.#lacksBasis = lacksBasis;
  }

  /** Where the request must be processed; null if it does not say. */
  residency(): string | null {
    const decision = this.#served?.decision ?? this.#plan.decisions[0];
    return decision?.effective.data_residency ?? null;
  }

  /** The values of the organisation's tags. */
  tagged(tags: GenerationRow["tags"]): void {
    this.#tags = tags;
    this.#admitted = undefined;
  }

  /** Booking adds this generation to these counters of budgets, which had so much left. */
  counts(counters: CounterSet, held: Reservation["held"]): void {
    this.#counters = counters;
    this.#admitted = undefined;
    this.#held = held;
  }

  /** Adds the `x-ratelimit-*` headers of the nearest limits of budgets. */
  addLimitHeaders(headers: Record<string, string>): void {
    if (this.#held.length > 0)
      addNearestHeaders(headers, this.#counters.counters, this.#held, this.startedMs);
  }

  /** The preset of the request with its version, such as `support@3`; null without one. */
  preset(): string | null {
    return this.#request.preset ?? null;
  }

  /** The id of the request, which its client knows from a header. */
  requestId(): string {
    return this.#meta.requestId;
  }

  served(): Target | null {
    return this.#served;
  }

  /** Milliseconds since the request was admitted, as an integer. */
  elapsedMs(): number {
    return Math.round(clock.monotonicMs() - this.#startedMonotonicMs);
  }

  trying(candidate: Target): void {
    this.#served = candidate;
    this.#appliedTokenLimit = null;
    this.#api = undefined;
    this.#changes = new ParameterChanges(this.#fieldNames);
    this.#tryingSinceMs = clock.monotonicMs();
  }

  /** The current attempt uses this operation of the provider. */
  over(api: string): void {
    this.#api = api;
  }

  /** The current attempt is sent a limit of the answer's length that the client did not set. */
  limited(tokens: number): void {
    this.#appliedTokenLimit = tokens;
  }

  /** What the current attempt changes in the fields of the request. */
  parameterChanges(): ParameterChanges {
    return this.#changes;
  }

  /** The limit of the answer's length that the client did not set, in tokens; null without one. */
  appliedTokenLimit(): number | null {
    return this.#appliedTokenLimit;
  }

  /** Milliseconds since the current attempt began, with fraction. */
  tryingMs(): number {
    return clock.monotonicMs() - this.#tryingSinceMs;
  }

  /** The first content arrived. */
  firstContent(): void {
    this.#latencyMs ??= this.elapsedMs();
    this.#contentSinceMs = clock.monotonicMs();
  }

  /** Milliseconds since the first content arrived, with fraction. */
  contentMs(): number {
    return clock.monotonicMs() - this.#contentSinceMs;
  }

  attempted({ provider, id }: Endpoint, outcome: string, status: number | null, sinceMs: number): void {
    const changes = this.#changes.report();
    this.attempts.push({
      endpoint: id,
      provider: provider.slug,
      outcome,
      status,
      duration_ms: this.elapsedMs() - sinceMs,
      ...(this.#api !== undefined && this.#api !== this.#operation.name && { api: this.#api }),
      ...(changes && { parameters: changes }),
    });
  }

  /** The serving provider names the service tier that it used. */
  usedTier(tier: string | null | undefined): void {
    if (tier == null) return;
    const last = this.attempts.at(-1);
    if (!last || last.service_tier === tier) return;
    this.attempts[this.attempts.length - 1] = { ...last, service_tier: recordable(tier) };
  }

  #isByok(): boolean {
    return this.#served !== null && isPaidByOrganisation(this.#served);
  }

  /** The cost of a usage at the serving endpoint, for the record and for the answer. */
  cost(usage: Usage = noUsage): Cost {
    const known = this.#priced;
    if (known?.usage === usage && known.served === this.#served) return known.cost;
    const price = this.#served?.endpoint.price;
    const cost = price && usage !== noUsage ? costOf(usage, price, this.#rate, this.#isByok()) : noCost;
    this.#priced = { usage, served: this.#served, cost };
    return cost;
  }

  /** The record before any provider is asked. */
  admission(): Admission {
    this.#admitted ??= admissionOf({
      id: this.id,
      caller: this.caller,
      operation: this.#operation,
      request: this.#request,
      meta: this.#meta,
      plan: this.#plan,
      rate: this.#rate,
      startedMs: this.startedMs,
      tags: this.#tags,
      counters: this.#counters.text,
      lacksBasis: this.#lacksBasis,
    });
    return this.#admitted;
  }

  /** The record if the generation ended now in this way. */
  row(ending: Ending): GenerationRow {
    return rowOf(this.admission(), ending, {
      served: this.#served,
      cost: this.cost(ending.usage),
      isByok: this.#isByok(),
      attempts: this.attempts,
      latencyMs: this.#latencyMs,
      durationMs: this.elapsedMs(),
    });
  }
}
