import { canonicalText, isInOrder } from "#server/platform/canonical-json.ts";
import { sha256Hex } from "#server/platform/crypto.ts";
import type { GenerationRow } from "./generation-row.ts";

/** The columns of a person. A receipt contains only their hash, so that it remains valid when they are erased. */
type PersonalColumn = "app_title" | "session_id" | "tags" | "user_reference";

/** Columns that a receipt does not contain itself. */
type OutsideReceipt =
  | PersonalColumn
  | "personal_salt"
  | "personal_hash"
  | "budget_counters"
  | "decision_basis";

/** A decimal without zeros at its end, as the database returns it: `1.10` is `1.1`. */
const trimmed = (decimal: string): string =>
  decimal.endsWith("0") && decimal.includes(".") ? decimal.replace(/\.?0+$/, "") : decimal;

/** What a receipt contains of a generation, named like its columns, in the order of canonical JSON. */
const receiptRecord = (row: GenerationRow) =>
  ({
    answer_digest: row.answer_digest,
    api_key_id: row.api_key_id,
    attempt_ms: row.attempt_ms,
    attempts: row.attempts,
    cache_write_tokens: row.cache_write_tokens,
    cached_tokens: row.cached_tokens,
    cancelled: row.cancelled,
    completion_tokens: row.completion_tokens,
    cost_parts: row.cost_parts,
    cost_pico_eur: row.cost_pico_eur,
    cost_pico_usd: row.cost_pico_usd,
    credential_id: row.credential_id,
    decision_hash: row.decision_hash,
    destinations: row.destinations,
    duration_ms: row.duration_ms,
    endpoint: row.endpoint,
    error_code: row.error_code,
    finish_reason: row.finish_reason,
    fx_date: row.fx_date,
    fx_usd_per_eur: trimmed(row.fx_usd_per_eur),
    http_status: row.http_status,
    id: row.id,
    input_modalities: row.input_modalities,
    is_byok: row.is_byok,
    latency_ms: row.latency_ms,
    model: row.model,
    model_requested: row.model_requested,
    native_finish_reason: row.native_finish_reason,
    operation: row.operation,
    org_id: row.org_id,
    output_modalities: row.output_modalities,
    parameters: row.parameters,
    price_version: row.price_version,
    prompt_tokens: row.prompt_tokens,
    provider: row.provider,
    ranked: row.ranked,
    reasoning_tokens: row.reasoning_tokens,
    region: row.region,
    request_digest: row.request_digest,
    request_id: row.request_id,
    search_units: row.search_units,
    started_at: row.started_at,
    status: row.status,
    strategy: row.strategy,
    streamed: row.streamed,
    upstream_pico_usd: row.upstream_pico_usd,
    usage_estimated: row.usage_estimated,
    usage_implausible: row.usage_implausible,
    user_id: row.user_id,
    workspace_id: row.workspace_id,
  }) satisfies Omit<GenerationRow, OutsideReceipt>;

type Personal = Pick<GenerationRow, PersonalColumn>;

/** Whether a row says something of a person. */
export const isPersonal = ({ app_title, session_id, tags, user_reference }: Personal): boolean =>
  app_title !== null || session_id !== null || user_reference !== null || (tags ?? null) !== null;

/** The text of what a row says of a person: canonical JSON, with nulls for what it does not say. */
export const personalText = ({ app_title, session_id, tags, user_reference }: Personal): string =>
  canonicalText({ app_title, session_id, tags: tags ?? null, user_reference });

/** Bytes as PostgreSQL writes them, `\x` and hexadecimal digits, without the prefix. */
const digitsOf = (bytes: string): string => bytes.slice(2);

/**
 * The SHA-256 of what a row says of a person, in hexadecimal digits; empty if it says nothing. Random bytes are before
 * the text, so that nobody can guess it. It remains when the text is erased.
 */
export function personalHashOf(
  row: Personal & Pick<GenerationRow, "personal_salt" | "personal_hash">,
): string {
  const { personal_salt: salt, personal_hash: hash } = row;
  if (salt !== undefined) return sha256Hex(`${digitsOf(salt)}\n${personalText(row)}`);
  return hash === undefined ? "" : digitsOf(hash);
}

/** The text of a receipt that its hash covers: canonical JSON, and on a second line the hash of what is personal if any. */
const receiptText = (record: string, personal: string): string =>
  personal === "" ? record : `${record}\n${personal}`;

const outsideReceipt = (row: GenerationRow) =>
  ({
    app_title: row.app_title,
    session_id: row.session_id,
    user_reference: row.user_reference,
    tags: row.tags,
    personal_salt: row.personal_salt,
    budget_counters: row.budget_counters,
    decision_basis: row.decision_basis,
  }) satisfies Omit<Pick<GenerationRow, OutsideReceipt>, "personal_hash">;

/** A row as the spool and the booking take it, and the SHA-256 of its receipt in hexadecimal digits. */
interface Receipted {
  readonly json: string;
  readonly receiptHash: string;
}

/** A booked generation and the SHA-256 of its receipt, in hexadecimal digits. */
export interface BookedReceipt {
  readonly id: string;
  readonly org_id: string;
  readonly receipt_hash: string;
}

/** The JSON of a row, and the hash of its receipt, which is made from the same text. */
export function receipted(row: GenerationRow): Receipted {
  const record = receiptRecord(row);
  const json = JSON.stringify(record);
  const rest = JSON.stringify(outsideReceipt(row));
  const canonical = isInOrder(row.parameters) && isInOrder(row.attempts) ? json : canonicalText(record);
  return {
    json: `${json.slice(0, -1)},${rest.slice(1)}`,
    receiptHash: sha256Hex(receiptText(canonical, personalHashOf(row))),
  };
}

/** The two texts of a row's receipt, as the database returns the row. Records of earlier versions lack columns. */
export function receiptTextsOf(row: GenerationRow): { readonly record: string; readonly personal: string } {
  const stored = {
    ...receiptRecord(row),
    usage_implausible: row.usage_implausible ?? false,
    input_modalities: row.input_modalities ?? [],
    output_modalities: row.output_modalities ?? [],
  };
  const { request_digest, answer_digest, destinations, ...columns } = stored;
  const record = Object.fromEntries(Object.entries(columns).map(([name, value]) => [name, value ?? null]));
  // A record without them does not name them, as those of earlier versions.
  const added = { request_digest, answer_digest, destinations };
  return { record: canonicalText({ ...record, ...added }), personal: personalHashOf(row) };
}

/** The SHA-256 of a row's receipt in hexadecimal digits. */
export function receiptHash(row: GenerationRow): string {
  const { record, personal } = receiptTextsOf(row);
  return sha256Hex(receiptText(record, personal));
}
