import { z } from "zod";
import {
  type GenerationDetail,
  GenerationLine,
  type GenerationListQuery,
  type GenerationPage,
  type GenerationSort,
  GenerationStatus,
  RecordedAttempts,
} from "#contract/generation.ts";
import { type generation, Prisma } from "#generated/prisma/client.ts";
import type { Authorized } from "#server/access/authorize.ts";
import { ownRows } from "#server/access/scope.ts";
import { attemptsOf, type CostDetails, costPartsOf, type Database, readColumns } from "#server/db/index.ts";
import { notFound } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { decimalFromPico } from "#server/platform/money.ts";
import { conditionsOf } from "./generation-filter.ts";
import { newestFirst, olderThan, placeOfLast } from "./generation-order.ts";
import { readDecision } from "./recorded-decision.ts";

interface LineRow extends Omit<GenerationLine, "started_at" | "cost_eur" | "status" | "tags"> {
  started_at: Date;
  status: string;
  cost: string;
  tags: Prisma.JsonValue;
}

/** What cannot be read of a generation is shown as failed, or left out. */
const storedStatus = (row: { readonly status: string }) =>
  readColumns(row, { status: [GenerationStatus, "failed"] }).status;

const storedTags = (row: { readonly tags: Prisma.JsonValue }) =>
  readColumns(row, { tags: [GenerationLine.shape.tags.nullable(), {}] }).tags ?? {};

const toLine = ({ started_at, status, cost, tags, ...row }: LineRow): GenerationLine => ({
  ...row,
  started_at: started_at.toISOString(),
  status: storedStatus({ status }),
  cost_eur: decimalFromPico(BigInt(cost)),
  tags: storedTags({ tags }),
});

const attemptCount = Prisma.sql`
  case when attempts is null then num_nonnulls(attempt_ms) else jsonb_array_length(attempts) end`;

const columns = Prisma.sql`
  id, started_at, operation, coalesce(model, model_requested) as model, provider, api_key_id, status,
  error_code, http_status, streamed, ${attemptCount} as attempts,
  prompt_tokens as tokens_in, completion_tokens as tokens_out, cost_pico_eur::text as cost, latency_ms, duration_ms,
  region, app_title, user_reference, session_id, tags`;

const sortedBy: Record<GenerationSort, Prisma.Sql> = {
  cost: Prisma.sql`cost_pico_eur`,
  tokens: Prisma.sql`prompt_tokens + completion_tokens`,
  first_token: Prisma.sql`latency_ms`,
  duration: Prisma.sql`duration_ms`,
  attempts: attemptCount,
};

/**
 * Returns a page of the organisation's generations that match the filter, newest first. Keyset paging: every page
 * costs the same, and new rows do not shift it. Only the newest `scannedMax` rows are compared with a filter that has no
 * index, so a page may have fewer rows than `limit`, or none, and still have a next one. A list with `sort` is one page:
 * the greatest of the newest `scannedMax`, which `sorted_from` says.
 */
export async function listGenerations(
  database: Database,
  caller: Authorized<"activity:read">,
  { after, limit, sort, ...filter }: GenerationListQuery,
  scannedMax: number = limits.lists.scannedMax,
): Promise<GenerationPage> {
  const { within, having } = conditionsOf(caller, filter);
  const older = after ? Prisma.sql`${within} and ${olderThan(after)}` : within;
  // What is found by an id has an index of its own, and is not one of the newest.
  const source = filter.find
    ? Prisma.sql`generation where ${older} and ${having}`
    : Prisma.sql`(select * from generation where ${older} ${newestFirst} limit ${scannedMax}) as scanned where ${having}`;
  const order = sort
    ? Prisma.sql`order by ${sortedBy[sort]} desc nulls last, started_at desc, id`
    : newestFirst;
  const rows = await database.prisma.$queryRaw<LineRow[]>`
    select ${columns} from ${source} ${order} limit ${limit + 1}`;
  const data = rows.slice(0, limit).map(toLine);
  const last = data.at(-1);
  const isFull = rows.length > limit;
  if (last && isFull && !sort)
    return { data, next: { started_at: last.started_at, id: last.id }, sorted_from: null };
  const place = filter.find ? null : await placeOfLast(database, older, scannedMax);
  return sort
    ? { data, next: null, sorted_from: place?.started_at ?? null }
    : { data, next: place, sorted_from: null };
}

const OlderCostDetails = z.record(z.string(), z.string());

/** The parts of a cost as rows of earlier versions have them: `completion_pico_eur: "300"`. */
function olderCostParts(stored: Prisma.JsonValue): CostDetails {
  const { details } = readColumns({ details: stored ?? {} }, { details: [OlderCostDetails, {}] });
  const currency = details.currency === "EUR" ? "EUR" : "USD";
  const suffix = `_pico_${currency.toLowerCase()}`;
  const own = Object.entries(details)
    .filter(([name]) => name.endsWith(suffix))
    .map(([name, pico]) => [name.slice(0, -suffix.length), pico] as const);
  return { currency, own: Object.fromEntries(own) };
}

const RecordedParameters = z.record(z.string(), z.unknown());
const money = (pico: Prisma.Decimal): string => decimalFromPico(BigInt(pico.toFixed(0)));

/** The parts of a cost as decimals in the currency of the price: `completion: "0.000000000300"`. */
function costDetails({ cost_parts, cost_details }: Pick<generation, "cost_parts" | "cost_details">) {
  const { currency, own } = cost_parts === null ? olderCostParts(cost_details) : costPartsOf(cost_parts);
  const parts = Object.entries(own).map(([name, pico]) => [name, decimalFromPico(BigInt(pico))] as const);
  return { details: Object.fromEntries(parts), details_currency: currency };
}

/** Returns one generation of the caller's organisation with everything recorded about it. Throws NOT_FOUND. */
export async function findGeneration(
  { prisma }: Database,
  caller: Authorized<"activity:read">,
  id: string,
): Promise<GenerationDetail> {
  const row = await prisma.generation.findFirst({ where: { id, ...ownRows(caller) } });
  if (!row) throw notFound("generation", "id");
  const { attempts, parameters } = readColumns(row, {
    attempts: [RecordedAttempts.nullable(), []],
    parameters: [RecordedParameters, {}],
  });
  const tries = RecordedAttempts.parse(attemptsOf({ ...row, attempts }));
  return {
    id: row.id,
    started_at: row.started_at.toISOString(),
    operation: row.operation,
    model: row.model ?? row.model_requested,
    provider: row.provider,
    api_key_id: row.api_key_id,
    status: storedStatus(row),
    error_code: row.error_code,
    http_status: row.http_status,
    streamed: row.streamed,
    attempts: tries.length,
    tokens_in: row.prompt_tokens,
    tokens_out: row.completion_tokens,
    cost_eur: money(row.cost_pico_eur),
    latency_ms: row.latency_ms,
    duration_ms: row.duration_ms,
    region: row.region,
    app_title: row.app_title,
    user_reference: row.user_reference,
    session_id: row.session_id,
    tags: storedTags(row),
    request_id: row.request_id,
    workspace_id: row.workspace_id,
    model_requested: row.model_requested,
    endpoint: row.endpoint,
    strategy: row.strategy,
    finish_reason: row.finish_reason,
    native_finish_reason: row.native_finish_reason,
    tries,
    decision: await readDecision(prisma, row),
    parameters,
    input_modalities: row.input_modalities,
    output_modalities: row.output_modalities,
    usage: {
      prompt_tokens: row.prompt_tokens,
      completion_tokens: row.completion_tokens,
      cached_tokens: row.cached_tokens,
      cache_write_tokens: row.cache_write_tokens,
      reasoning_tokens: row.reasoning_tokens,
      search_units: row.search_units,
      estimated: row.usage_estimated,
      implausible: row.usage_implausible,
    },
    cost: {
      usd: money(row.cost_pico_usd),
      eur: money(row.cost_pico_eur),
      upstream_usd: money(row.upstream_pico_usd),
      ...costDetails(row),
      price_version: row.price_version,
      usd_per_eur: row.fx_usd_per_eur.toString(),
      rate_date: row.fx_date,
      is_byok: row.is_byok,
    },
  };
}
