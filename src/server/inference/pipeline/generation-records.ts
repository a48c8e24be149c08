import type { ErrorCode } from "#contract/errors.ts";
import type { Caller } from "#server/access/caller.ts";
import {
  type Admission,
  type AttemptRecord,
  type Cost,
  costColumns,
  type GenerationRow,
  noUsage,
  type Usage,
  usageColumns,
} from "#server/billing/index.ts";
import { attemptColumns, isPersonal, type StoredDocument } from "#server/db/index.ts";
import { isoTime } from "#server/platform/clock.ts";
import { randomHex } from "#server/platform/ids.ts";
import type { ExchangeRate } from "#server/platform/money.ts";
import { inOnePiece } from "#server/platform/one-piece.ts";
import { routeRecord } from "#server/policy/index.ts";
import type { ContentDigests } from "./content-digests.ts";
import type { Target } from "./own-credentials.ts";
import type { Plan } from "./plan.ts";
import { parametersOf, type RecordedAs, recordable } from "./recorded-request.ts";
import { endUserOf, type InferenceRequest } from "./request.ts";

export interface RequestMeta {
  readonly requestId: string;
  readonly appTitle: string | null;
  /** The id of the generation, if the client already has it. */
  readonly generationId?: string;
  /** What makes the digests of request and answer, if the client gave a key. */
  readonly digests?: ContentDigests | undefined;
}

export interface Ending {
  readonly status: GenerationRow["status"];
  readonly httpStatus: number;
  readonly usage?: Usage;
  readonly errorCode?: ErrorCode;
  readonly finishReason?: string | null;
  readonly nativeFinishReason?: string | null;
  /** The digest of the answer that the client gets, as PostgreSQL writes bytes. */
  readonly answerDigest?: string | undefined;
}

const saltBytes = 12;
const newSalt = (): string => inOnePiece(`\\x${randomHex(saltBytes)}`);

/** Whether records of a decision must contain its basis, or a document that it refers to. */
export type LacksBasis = (orgId: string, hash: string) => boolean;

/** What is known of a request before any provider is asked. */
interface Admitted {
  readonly id: string;
  readonly caller: Extract<Caller, { kind: "key" }>;
  readonly operation: RecordedAs;
  readonly request: InferenceRequest;
  readonly meta: RequestMeta;
  readonly plan: Plan;
  readonly rate: ExchangeRate;
  readonly startedMs: number;
  readonly tags: GenerationRow["tags"];
  readonly counters: string | undefined;
  readonly lacksBasis: LacksBasis;
}

/** The record before any provider is asked. */
export function admissionOf(of: Admitted): Admission {
  const { caller, meta, operation, plan, rate, request } = of;
  const { basis, facts, inputs, hashColumn, ranked } = routeRecord(plan.decisions);
  const lacks = (document: StoredDocument): boolean => of.lacksBasis(caller.orgId, document.hash);
  const personal = {
    app_title: meta.appTitle,
    session_id: request.session_id ?? null,
    tags: of.tags,
    user_reference: endUserOf(request),
  };
  return {
    id: of.id,
    request_id: meta.requestId,
    org_id: caller.orgId,
    user_id: caller.userId,
    api_key_id: caller.keyId,
    workspace_id: caller.workspaceId,
    operation: operation.name,
    model_requested: request.model ?? request.models?.[0] ?? "",
    streamed: request.stream === true,
    strategy: plan.decisions[0]?.strategy ?? "lowest-cost",
    decision_hash: hashColumn,
    ranked,
    parameters: parametersOf(request, operation),
    input_modalities: [...(plan.inputModalities ?? [])],
    output_modalities: [...(plan.outputModalities ?? [])],
    started_at: isoTime(of.startedMs),
    fx_usd_per_eur: rate.usdPerEur,
    fx_date: rate.date,
    user_reference: personal.user_reference,
    session_id: personal.session_id,
    app_title: personal.app_title,
    tags: personal.tags,
    personal_salt: isPersonal(personal) ? newSalt() : undefined,
    request_digest: meta.digests?.request,
    budget_counters: of.counters,
    decision_basis: lacks(basis)
      ? { ...basis, facts: facts.filter(lacks), inputs: inputs.filter(lacks) }
      : undefined,
  };
}

/** What happened since. */
interface Served {
  readonly served: Target | null;
  readonly cost: Cost;
  readonly isByok: boolean;
  readonly attempts: readonly AttemptRecord[];
  readonly latencyMs: number | null;
  readonly durationMs: number;
}

/** The record of a request that ended. */
export function rowOf(admission: Admission, ending: Ending, of: Served): GenerationRow {
  const { status, errorCode, finishReason, nativeFinishReason } = ending;
  const { served } = of;
  const endpoint = served?.endpoint ?? null;
  const cost = costColumns(of.cost);
  const used = usageColumns(ending.usage ?? noUsage);
  const { attempts, attempt_ms } = attemptColumns(of.attempts, endpoint?.id ?? null);
  // Assigned column by column: spreading an object into a long literal costs as much as its JSON.
  return {
    id: admission.id,
    request_id: admission.request_id,
    org_id: admission.org_id,
    user_id: admission.user_id,
    api_key_id: admission.api_key_id,
    workspace_id: admission.workspace_id,
    operation: admission.operation,
    model_requested: admission.model_requested,
    model: endpoint?.model.id ?? null,
    provider: endpoint?.provider.slug ?? null,
    endpoint: endpoint?.id ?? null,
    region: endpoint?.provider.region ?? null,
    status,
    error_code: errorCode ?? null,
    http_status: ending.httpStatus,
    finish_reason: finishReason ?? null,
    native_finish_reason: nativeFinishReason == null ? null : recordable(nativeFinishReason),
    streamed: admission.streamed,
    cancelled: status === "cancelled",
    strategy: served?.decision.strategy ?? admission.strategy,
    attempts,
    attempt_ms,
    decision_hash: admission.decision_hash,
    ranked: admission.ranked,
    parameters: admission.parameters,
    input_modalities: admission.input_modalities,
    output_modalities: admission.output_modalities,
    started_at: admission.started_at,
    prompt_tokens: used.prompt_tokens,
    completion_tokens: used.completion_tokens,
    cached_tokens: used.cached_tokens,
    cache_write_tokens: used.cache_write_tokens,
    reasoning_tokens: used.reasoning_tokens,
    search_units: used.search_units,
    usage_estimated: used.usage_estimated,
    usage_implausible: used.usage_implausible,
    is_byok: of.isByok,
    credential_id: (served?.own ?? served?.shared)?.id ?? null,
    price_version: endpoint?.price?.version ?? null,
    fx_usd_per_eur: admission.fx_usd_per_eur,
    fx_date: admission.fx_date,
    cost_pico_usd: cost.cost_pico_usd,
    cost_pico_eur: cost.cost_pico_eur,
    upstream_pico_usd: cost.upstream_pico_usd,
    cost_parts: cost.cost_parts,
    user_reference: admission.user_reference,
    session_id: admission.session_id,
    app_title: admission.app_title,
    latency_ms: of.latencyMs,
    duration_ms: of.durationMs,
    tags: admission.tags,
    personal_salt: admission.personal_salt,
    request_digest: admission.request_digest,
    answer_digest: ending.answerDigest,
    budget_counters: admission.budget_counters,
    decision_basis: admission.decision_basis,
  };
}
