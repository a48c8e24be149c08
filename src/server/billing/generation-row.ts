import type { GenerationRow } from "#server/db/index.ts";

export type { AttemptRecord, GenerationRow } from "#server/db/index.ts";

/** The columns of a row that are summed when it is booked. */
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
  | "status"
  | "attempts"
  | "error_code"
  | "streamed"
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
  | "latency_ms"
  | "duration_ms"
  | "tags"
  | "budget_counters"
  | "decision_basis"
>;

/** The other columns are only in its JSON, to save memory while it waits to be booked. */
export const bookedRow = (row: GenerationRow): BookedRow => ({
  id: row.id,
  org_id: row.org_id,
  api_key_id: row.api_key_id,
  workspace_id: row.workspace_id,
  credential_id: row.credential_id,
  model: row.model,
  model_requested: row.model_requested,
  provider: row.provider,
  status: row.status,
  attempts: row.attempts,
  error_code: row.error_code,
  streamed: row.streamed,
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
  latency_ms: row.latency_ms,
  duration_ms: row.duration_ms,
  tags: row.tags,
  budget_counters: row.budget_counters,
  decision_basis: row.decision_basis,
});
