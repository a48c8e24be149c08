import type { ParameterChanges } from "#contract/parameter-changes.ts";
import type { DecisionBasis } from "./decision-basis.ts";

/** One row of the table `generation` as JSON: what the spool carries, the flush inserts and traces are made of. */
export interface GenerationRow {
  readonly id: string;
  readonly request_id: string;
  readonly org_id: string;
  readonly user_id: string;
  readonly api_key_id: string;
  readonly workspace_id: string | null;
  readonly operation: string;
  readonly model_requested: string;
  readonly model: string | null;
  readonly provider: string | null;
  readonly endpoint: string | null;
  readonly region: string | null;
  readonly status: "completed" | "failed" | "cancelled" | "interrupted";
  readonly error_code: string | null;
  readonly http_status: number;
  readonly finish_reason: string | null;
  readonly native_finish_reason: string | null;
  readonly streamed: boolean;
  readonly cancelled: boolean;
  readonly strategy: string;
  /** Null: one attempt, answered with 200 by `endpoint` in `attempt_ms`. */
  readonly attempts: readonly AttemptRecord[] | null;
  readonly attempt_ms: number | null;
  /** The hash of the decision's basis as PostgreSQL writes bytes: `\x` and hexadecimal digits. */
  readonly decision_hash: string | null;
  /** For each model of the basis, the positions of its eligible endpoints, best first. */
  readonly ranked: readonly (readonly number[])[] | null;
  readonly parameters: Record<string, unknown>;
  /** What the request holds and asks for besides text. */
  readonly input_modalities: string[];
  readonly output_modalities: string[];
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly cached_tokens: number;
  readonly cache_write_tokens: number;
  readonly reasoning_tokens: number;
  readonly search_units: number;
  readonly usage_estimated: boolean;
  /** The provider reported more than the request could take, or no counts: what it could take is billed. */
  readonly usage_implausible: boolean;
  readonly is_byok: boolean;
  readonly credential_id: string | null;
  readonly price_version: string | null;
  readonly fx_usd_per_eur: string;
  readonly fx_date: string;
  /** Integers as decimal text: JSON numbers cannot hold them all. */
  readonly cost_pico_usd: string;
  readonly cost_pico_eur: string;
  readonly upstream_pico_usd: string;
  /** The currency of the price, then the parts in pico-USD and for EUR also in pico-EUR, with blanks between. */
  readonly cost_parts: string | null;
  readonly user_reference: string | null;
  readonly session_id: string | null;
  readonly app_title: string | null;
  readonly started_at: string;
  readonly latency_ms: number | null;
  readonly duration_ms: number;
  /** Values of the organisation's tags, by name. Absent without any. */
  readonly tags?: Readonly<Record<string, string>> | undefined;
  /** Random bytes for the hash of what the row says of a person, as PostgreSQL writes bytes. Absent if it says nothing. */
  readonly personal_salt?: string | undefined;
  /** The hash of what the row said of a person, after that was erased. */
  readonly personal_hash?: string | undefined;
  /** Keyed digests of the bodies of request and answer, as PostgreSQL writes bytes. Absent if the client gave no key. */
  readonly request_digest?: string | undefined;
  readonly answer_digest?: string | undefined;
  /** The destinations that get its trace. Absent if none does. */
  readonly destinations?: readonly TraceRecipient[] | undefined;
  /** No column: booking adds the generation to these counters, as in `billing/counted.ts`. Absent without budgets. */
  readonly budget_counters?: string | readonly string[] | undefined;
  /** No column: booking stores it. Absent if the database has it. */
  readonly decision_basis?: DecisionBasis | undefined;
}

/** A destination that gets the trace of a generation, with its members in the order of canonical JSON. */
export interface TraceRecipient {
  /** False while its filters search the trace: it may get nothing. Left out if it is certain. */
  readonly certain?: false;
  /** What the trace contains, as in `destination_delivery`. */
  readonly content: string;
  readonly id: string;
  /** Where it stored data then; null if that was unknown. */
  readonly residency: string | null;
}

/** One try at one endpoint, as the record of a generation keeps it. */
export interface AttemptRecord {
  readonly endpoint: string;
  readonly provider: string;
  readonly outcome: string;
  readonly status: number | null;
  readonly duration_ms: number;
  /** The provider's operation that was used, if it is another than the request's. */
  readonly api?: string;
  /** The service tier that the provider says it used, if it names one. */
  readonly service_tier?: string;
  /** What was changed in the fields of the request. */
  readonly parameters?: ParameterChanges;
}

/** What a row says of its attempts. */
export type AttemptColumns = Pick<GenerationRow, "attempts" | "attempt_ms">;

/** The columns of attempts. Most requests have one, which its row describes already. */
export function attemptColumns(attempts: readonly AttemptRecord[], endpoint: string | null): AttemptColumns {
  const [first, ...others] = attempts;
  if (!first || others.length > 0 || first.outcome !== "ok" || first.status !== 200)
    return { attempts, attempt_ms: null };
  if (first.endpoint !== endpoint || first.api || first.service_tier || first.parameters)
    return { attempts, attempt_ms: null };
  return { attempts: null, attempt_ms: first.duration_ms };
}

/** Whether more than one endpoint was tried for a row. */
export const hasFallback = ({ attempts }: Pick<GenerationRow, "attempts">): boolean =>
  attempts?.some(({ endpoint }) => endpoint !== attempts[0]?.endpoint) ?? false;

/** SQL: the same of a row of `generation`. */
export const hasFallbackSql = `
  attempts is not null and exists (
    select from jsonb_array_elements(attempts) as one where one->>'endpoint' <> attempts->0->>'endpoint')`;

/** The attempts of a row, the inverse of `attemptColumns`. */
export function attemptsOf({
  attempts,
  attempt_ms: duration_ms,
  endpoint,
  provider,
}: AttemptColumns & Pick<GenerationRow, "endpoint" | "provider">): readonly AttemptRecord[] {
  if (attempts) return attempts;
  if (duration_ms === null || endpoint === null || provider === null) return [];
  return [{ endpoint, provider, outcome: "ok", status: 200, duration_ms }];
}
