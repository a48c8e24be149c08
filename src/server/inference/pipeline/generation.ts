import type { ErrorCode } from "#contract/errors.ts";
import type { Caller } from "#server/access/caller.ts";
import {
  type AttemptRecord,
  type Cost,
  costColumns,
  costOf,
  type GenerationRow,
  noCost,
  noUsage,
  type Usage,
  usageColumns,
} from "#server/billing/index.ts";
import type { Endpoint } from "#server/catalog/index.ts";
import { attemptColumns, type DecisionBasis } from "#server/db/index.ts";
import { clock, isoTime } from "#server/platform/clock.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import type { ExchangeRate } from "#server/platform/money.ts";
import { routeRecord } from "#server/policy/index.ts";
import { type FieldNames, ParameterChanges } from "../parameters/changes.ts";
import { isPaidByOrganisation, type Target } from "./own-credentials.ts";
import type { Plan } from "./plan.ts";
import { parametersOf, type RecordedAs, recordable } from "./recorded-request.ts";
import { endUserOf, type InferenceRequest } from "./request.ts";

type KeyCaller = Extract<Caller, { kind: "key" }>;

export interface RequestMeta {
  readonly requestId: string;
  readonly appTitle: string | null;
  /** The id of the generation, if the client already has it. */
  readonly generationId?: string;
}

export interface Ending {
  readonly status: GenerationRow["status"];
  readonly httpStatus: number;
  readonly usage?: Usage;
  readonly errorCode?: ErrorCode;
  readonly finishReason?: string | null;
  readonly nativeFinishReason?: string | null;
}

const noHeaders: Readonly<Record<string, string>> = {};

/** One inference request from admission to its record. Fixes price and rate, counts attempts, measures time. */
export class Generation {
  readonly id: string;
  readonly startedMs = clock.nowMs();
  readonly #startedMonotonicMs = clock.monotonicMs();
  readonly attempts: AttemptRecord[] = [];
  readonly caller: KeyCaller;
  readonly #operation: string;
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
  #counters: readonly string[] | undefined;
  #limitHeaders: Readonly<Record<string, string>> = noHeaders;
  #priced: { readonly usage: Usage; readonly served: Target | null; readonly cost: Cost } | undefined;
  /** The common part of every record of this generation: ADMIT, PROGRESS and FINAL. */
  readonly #constant: Pick<
    GenerationRow,
    "decision_hash" | "ranked" | "parameters" | "input_modalities" | "output_modalities" | "started_at"
  >;
  /** What the record's decision refers to; undefined if the database has it. */
  readonly #basis: DecisionBasis | undefined;

  constructor(
    caller: KeyCaller,
    operation: RecordedAs,
    request: InferenceRequest,
    meta: RequestMeta,
    plan: Plan,
    rate: ExchangeRate,
    fieldNames?: FieldNames,
    lacksBasis: (orgId: string, hash: string) => boolean = () => true,
  ) {
    this.#fieldNames = fieldNames;
    this.id = meta.generationId ?? uuidv7();
    this.caller = caller;
    this.#operation = operation.name;
    this.#request = request;
    this.#meta = meta;
    this.#plan = plan;
    this.#rate = rate;
    const { basis, hashColumn, ranked } = routeRecord(plan.decisions);
    this.#basis = lacksBasis(caller.orgId, basis.hash) ? basis : undefined;
    this.#constant = {
      decision_hash: hashColumn,
      ranked,
      parameters: parametersOf(request, operation),
      input_modalities: [...(plan.inputModalities ?? [])],
      output_modalities: [...(plan.outputModalities ?? [])],
      started_at: isoTime(this.startedMs),
    };
  }

  /** Where the request must be processed; null if it does not say. */
  residency(): string | null {
    const decision = this.#served?.decision ?? this.#plan.decisions[0];
    return decision?.effective.data_residency ?? null;
  }

  /** The values of the organisation's tags. */
  tagged(tags: GenerationRow["tags"]): void {
    this.#tags = tags;
  }

  /** Counters of budgets count this generation. `headers` report the nearest limits to the client. */
  counts(counters: readonly string[], headers: Readonly<Record<string, string>>): void {
    this.#counters = counters;
    this.#limitHeaders = headers;
  }

  /** The `x-ratelimit-*` headers of budgets; empty without any. */
  limitHeaders(): Readonly<Record<string, string>> {
    return this.#limitHeaders;
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
      ...(this.#api !== undefined && this.#api !== this.#operation && { api: this.#api }),
      ...(changes && { parameters: changes }),
    });
  }

  /** The serving provider names the service tier that it used. */
  usedTier(tier: string | null | undefined): void {
    const last = this.attempts.at(-1);
    if (tier == null || !last || last.service_tier === tier) return;
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

  /** The record if the generation ended now in this way. */
  row({
    status,
    httpStatus,
    usage = noUsage,
    errorCode,
    finishReason,
    nativeFinishReason,
  }: Ending): GenerationRow {
    const endpoint = this.#served?.endpoint ?? null;
    const cost = costColumns(this.cost(usage));
    const used = usageColumns(usage);
    const first = this.#plan.decisions[0];
    const { attempts, attempt_ms } = attemptColumns(this.attempts, endpoint?.id ?? null);
    return {
      id: this.id,
      request_id: this.#meta.requestId,
      org_id: this.caller.orgId,
      user_id: this.caller.userId,
      api_key_id: this.caller.keyId,
      workspace_id: this.caller.workspaceId,
      operation: this.#operation,
      model_requested: this.#request.model ?? this.#request.models?.[0] ?? "",
      model: endpoint?.model.id ?? null,
      provider: endpoint?.provider.slug ?? null,
      endpoint: endpoint?.id ?? null,
      region: endpoint?.provider.region ?? null,
      status,
      error_code: errorCode ?? null,
      http_status: httpStatus,
      finish_reason: finishReason ?? null,
      native_finish_reason: nativeFinishReason == null ? null : recordable(nativeFinishReason),
      streamed: this.#request.stream === true,
      cancelled: status === "cancelled",
      strategy: (this.#served?.decision ?? first)?.strategy ?? "lowest-cost",
      attempts,
      attempt_ms,
      // Assigned column by column: spreading an object into a long literal costs as much as its JSON.
      decision_hash: this.#constant.decision_hash,
      ranked: this.#constant.ranked,
      parameters: this.#constant.parameters,
      input_modalities: this.#constant.input_modalities,
      output_modalities: this.#constant.output_modalities,
      started_at: this.#constant.started_at,
      prompt_tokens: used.prompt_tokens,
      completion_tokens: used.completion_tokens,
      cached_tokens: used.cached_tokens,
      cache_write_tokens: used.cache_write_tokens,
      reasoning_tokens: used.reasoning_tokens,
      search_units: used.search_units,
      usage_estimated: used.usage_estimated,
      usage_implausible: used.usage_implausible,
      is_byok: this.#isByok(),
      credential_id: (this.#served?.own ?? this.#served?.shared)?.id ?? null,
      price_version: endpoint?.price?.version ?? null,
      fx_usd_per_eur: this.#rate.usdPerEur,
      fx_date: this.#rate.date,
      cost_pico_usd: cost.cost_pico_usd,
      cost_pico_eur: cost.cost_pico_eur,
      upstream_pico_usd: cost.upstream_pico_usd,
      cost_parts: cost.cost_parts,
      user_reference: endUserOf(this.#request),
      session_id: this.#request.session_id ?? null,
      app_title: this.#meta.appTitle,
      latency_ms: this.#latencyMs,
      duration_ms: this.elapsedMs(),
      tags: this.#tags,
      budget_counters: this.#counters,
      decision_basis: this.#basis,
    };
  }
}
