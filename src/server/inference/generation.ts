import type { CompletionRequest } from "#contract/completions.ts";
import type { ErrorCode } from "#contract/errors.ts";
import type { Caller } from "#server/auth/caller.ts";
import {
  type AttemptRecord,
  type Cost,
  costOf,
  type GenerationRow,
  noCost,
  noUsage,
  promptTokens,
  type Usage,
} from "#server/billing/index.ts";
import type { Endpoint } from "#server/catalog/index.ts";
import { clock, isoTime } from "#server/platform/clock.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import type { ExchangeRate } from "#server/platform/money.ts";
import { type Candidate, recordedReasons } from "#server/policy/index.ts";
import type { Plan } from "./plan.ts";

type KeyCaller = Extract<Caller, { kind: "key" }>;

export interface RequestMeta {
  readonly requestId: string;
  readonly appTitle: string | null;
}

interface Ending {
  readonly status: GenerationRow["status"];
  readonly httpStatus: number;
  readonly usage?: Usage;
  readonly errorCode?: ErrorCode;
  readonly finishReason?: string | null;
  readonly nativeFinishReason?: string | null;
}

/** Parameters kept with the record: never content, only how it was asked for and of whom. */
const recorded = [
  "max_tokens",
  "temperature",
  "top_p",
  "top_k",
  "frequency_penalty",
  "presence_penalty",
  "seed",
  "n",
  "best_of",
  "models",
  "provider",
  "rule_id",
  "rule_name",
] as const satisfies readonly (keyof CompletionRequest)[];

function parametersOf(request: CompletionRequest): Record<string, unknown> {
  const parameters: Record<string, unknown> = {};
  for (const name of recorded) if (request[name] != null) parameters[name] = request[name];
  return parameters;
}

/** Of very many rules the narrowest are recorded: those that decide what is soft. */
const recordedRulesMax = 20;

function decisionOf({ decisions }: Plan): Record<string, unknown> {
  return {
    models: decisions.map(({ model, strategy, rules, ranked, dropped }) => ({
      model,
      strategy,
      rules: rules.slice(-recordedRulesMax).map(({ id }) => id),
      rule_count: rules.length,
      ranked: ranked.map(({ id }) => id),
      excluded: recordedReasons(dropped),
    })),
  };
}

const costDetails = ({ upstream }: Cost): Record<string, string> => ({
  uncached_prompt_pico_usd: upstream.uncachedPrompt.toString(),
  cache_read_pico_usd: upstream.cacheRead.toString(),
  cache_write_pico_usd: upstream.cacheWrite.toString(),
  completion_pico_usd: upstream.completion.toString(),
  request_pico_usd: upstream.request.toString(),
});

/** One inference request from admission to its record. Pins price and rate, counts attempts, measures time. */
export class Generation {
  readonly id = uuidv7();
  readonly startedMs = clock.nowMs();
  readonly #startedMonotonicMs = clock.monotonicMs();
  readonly attempts: AttemptRecord[] = [];
  readonly #caller: KeyCaller;
  readonly #request: CompletionRequest;
  readonly #meta: RequestMeta;
  readonly #plan: Plan;
  readonly #rate: ExchangeRate;
  #served: Candidate | null = null;
  #tryingSinceMs = this.#startedMonotonicMs;
  #contentSinceMs = this.#startedMonotonicMs;
  #latencyMs: number | null = null;
  /** What every record of this generation says alike: ADMIT, PROGRESS and FINAL share it. */
  readonly #constant: Pick<GenerationRow, "decision" | "parameters" | "started_at">;

  constructor(
    caller: KeyCaller,
    request: CompletionRequest,
    meta: RequestMeta,
    plan: Plan,
    rate: ExchangeRate,
  ) {
    this.#caller = caller;
    this.#request = request;
    this.#meta = meta;
    this.#plan = plan;
    this.#rate = rate;
    this.#constant = {
      decision: decisionOf(plan),
      parameters: parametersOf(request),
      started_at: isoTime(this.startedMs),
    };
  }

  get served(): Candidate | null {
    return this.#served;
  }

  /** Milliseconds since the request was admitted, whole. */
  elapsedMs(): number {
    return Math.round(clock.monotonicMs() - this.#startedMonotonicMs);
  }

  trying(candidate: Candidate): void {
    this.#served = candidate;
    this.#tryingSinceMs = clock.monotonicMs();
  }

  /** Milliseconds since the attempt under way began, with fraction. */
  tryingMs(): number {
    return clock.monotonicMs() - this.#tryingSinceMs;
  }

  /** The first content came. */
  firstContent(): void {
    this.#latencyMs ??= this.elapsedMs();
    this.#contentSinceMs = clock.monotonicMs();
  }

  /** Milliseconds since the first content came, with fraction. */
  contentMs(): number {
    return clock.monotonicMs() - this.#contentSinceMs;
  }

  attempted({ provider, id }: Endpoint, outcome: string, status: number | null, sinceMs: number): void {
    this.attempts.push({
      endpoint: id,
      provider: provider.slug,
      outcome,
      status,
      duration_ms: this.elapsedMs() - sinceMs,
    });
  }

  cost(usage: Usage): Cost {
    const price = this.#served?.endpoint.price;
    return price && usage !== noUsage ? costOf(usage, price, this.#rate) : noCost;
  }

  /** The record as it would stand if the generation ended now in this way. */
  row({
    status,
    httpStatus,
    usage = noUsage,
    errorCode,
    finishReason,
    nativeFinishReason,
  }: Ending): GenerationRow {
    const endpoint = this.#served?.endpoint ?? null;
    const cost = this.cost(usage);
    const first = this.#plan.decisions[0];
    return {
      id: this.id,
      request_id: this.#meta.requestId,
      org_id: this.#caller.orgId,
      user_id: this.#caller.userId,
      api_key_id: this.#caller.keyId,
      operation: "completions",
      model_requested: this.#request.model ?? this.#request.models?.[0] ?? "",
      model: endpoint?.model.id ?? null,
      provider: endpoint?.provider.slug ?? null,
      endpoint: endpoint?.id ?? null,
      region: endpoint?.provider.region ?? null,
      status,
      error_code: errorCode ?? null,
      http_status: httpStatus,
      finish_reason: finishReason ?? null,
      native_finish_reason: nativeFinishReason ?? null,
      streamed: this.#request.stream === true,
      cancelled: status === "cancelled",
      strategy: (this.#served?.decision ?? first)?.strategy ?? "lowest-cost",
      attempts: this.attempts,
      ...this.#constant,
      prompt_tokens: promptTokens(usage),
      completion_tokens: usage.completion,
      cached_tokens: usage.cacheRead,
      cache_write_tokens: usage.cacheWrite,
      reasoning_tokens: usage.reasoning,
      search_units: usage.searchUnits,
      usage_estimated: usage.estimated,
      is_byok: false,
      price_version: endpoint?.price?.version ?? null,
      fx_usd_per_eur: this.#rate.usdPerEur,
      fx_date: this.#rate.date,
      cost_pico_usd: cost.picoUsd.toString(),
      cost_pico_eur: cost.picoEur.toString(),
      upstream_pico_usd: cost.upstream.total.toString(),
      cost_details: costDetails(cost),
      user_reference: this.#request.user ?? null,
      session_id: this.#request.session_id ?? null,
      app_title: this.#meta.appTitle,
      latency_ms: this.#latencyMs,
      duration_ms: this.elapsedMs(),
    };
  }
}
