/** One row of the table `generation`, spelled as there: what the spool carries and the flush inserts. */
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
  readonly attempts: readonly AttemptRecord[];
  readonly decision: Record<string, unknown>;
  readonly parameters: Record<string, unknown>;
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
  readonly cost_details: Record<string, string>;
  readonly user_reference: string | null;
  readonly session_id: string | null;
  readonly app_title: string | null;
  readonly started_at: string;
  readonly latency_ms: number | null;
  readonly duration_ms: number;
}

/** What of a row is added up when it is booked. */
export type BookedRow = Pick<
  GenerationRow,
  | "id"
  | "org_id"
  | "api_key_id"
  | "workspace_id"
  | "credential_id"
  | "model"
  | "model_requested"
  | "provider"
  | "error_code"
  | "is_byok"
  | "prompt_tokens"
  | "completion_tokens"
  | "cached_tokens"
  | "reasoning_tokens"
  | "search_units"
  | "cost_pico_usd"
  | "cost_pico_eur"
  | "upstream_pico_usd"
  | "fx_usd_per_eur"
  | "fx_date"
  | "started_at"
>;

/** A row's other columns would only burden the collector while it waits to be booked: its JSON has them. */
export const bookedRow = (row: GenerationRow): BookedRow => ({
  id: row.id,
  org_id: row.org_id,
  api_key_id: row.api_key_id,
  workspace_id: row.workspace_id,
  credential_id: row.credential_id,
  model: row.model,
  model_requested: row.model_requested,
  provider: row.provider,
  error_code: row.error_code,
  is_byok: row.is_byok,
  prompt_tokens: row.prompt_tokens,
  completion_tokens: row.completion_tokens,
  cached_tokens: row.cached_tokens,
  reasoning_tokens: row.reasoning_tokens,
  search_units: row.search_units,
  cost_pico_usd: row.cost_pico_usd,
  cost_pico_eur: row.cost_pico_eur,
  upstream_pico_usd: row.upstream_pico_usd,
  fx_usd_per_eur: row.fx_usd_per_eur,
  fx_date: row.fx_date,
  started_at: row.started_at,
});

/** One try at one endpoint, as the record of a generation keeps it. */
export interface AttemptRecord {
  readonly endpoint: string;
  readonly provider: string;
  readonly outcome: string;
  readonly status: number | null;
  readonly duration_ms: number;
}
