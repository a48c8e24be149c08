import type pg from "pg";
import { jsonOfSums } from "#server/platform/sums-json.ts";
import type { BookedRow } from "./generation-row.ts";
import { countTime } from "./latency-histogram.ts";
import { summed, summedLater, sumUsage, type UsageSum } from "./usage-sums.ts";

// Rows are written in a fixed order, so that two batches cannot deadlock.

const sumsOf = (columns: readonly string[]): string =>
  columns.map((column) => `sum(${column}) as ${column}`).join(", ");

const dayKey = "org_id, day, api_key_id, workspace_id, model, provider, is_byok";
const dayColumns = [...summed, ...summedLater];
const addDays = `
  insert into usage_day (${dayKey}, ${dayColumns.join(", ")})
  select ${dayKey}, ${sumsOf(dayColumns)} from json_populate_recordset(null::usage_day, $1::json)
  group by ${dayKey} order by ${dayKey}
  on conflict (${dayKey}) do update set
    ${summed.map((column) => `${column} = usage_day.${column} + excluded.${column}`).join(", ")},
    ${summedLater.map((column) => `${column} = coalesce(usage_day.${column}, 0) + excluded.${column}`).join(", ")}`;

const hourKey = "org_id, hour, api_key_id, workspace_id, model, provider";
const hourColumns = [
  ...["requests", ...summedLater, "prompt_tokens", "completion_tokens"],
  ...["cost_pico_usd", "cost_pico_eur"],
];
const addHours = `
  insert into usage_hour (${hourKey}, ${hourColumns.join(", ")})
  select ${hourKey}, ${sumsOf(hourColumns)} from json_populate_recordset(null::usage_hour, $1::json)
  group by ${hourKey} order by ${hourKey}
  on conflict (${hourKey}) do update set
    ${hourColumns.map((column) => `${column} = coalesce(usage_hour.${column}, 0) + excluded.${column}`).join(", ")}`;

/** Adds two lists of counts, of which one may be longer. */
const addedLists = (column: string): string => `
  ${column} = array(
    select coalesce(old.count, 0) + coalesce(new.count, 0)
    from unnest(latency_hour.${column}) with ordinality as old (count, place)
    full join unnest(excluded.${column}) with ordinality as new (count, place) using (place)
    order by place)`;
const addLatency = `
  insert into latency_hour (org_id, hour, durations, first_contents)
  select org_id, hour, durations, first_contents from json_populate_recordset(null::latency_hour, $2::json)
  order by org_id, hour
  on conflict (org_id, hour) do update set ${addedLists("durations")}, ${addedLists("first_contents")}`;

const addAll = `with days as (${addDays}), hours as (${addHours}) ${addLatency}`;
const addHoursOnly = `with hours as (${addHours}) ${addLatency}`;

interface LatencyHour {
  readonly org_id: string;
  readonly hour: string;
  readonly durations: number[];
  readonly first_contents: number[];
}

const isOf = ({ org_id, hour }: LatencyHour, row: BookedRow): boolean =>
  org_id === row.org_id && row.started_at.startsWith(hour);

/** How long completed requests took, by organisation and hour. */
function sumLatency(rows: readonly BookedRow[]): LatencyHour[] {
  const all: LatencyHour[] = [];
  let last: LatencyHour | undefined;
  for (const row of rows) {
    if (row.status !== "completed") continue;
    let sums = last && isOf(last, row) ? last : all.find((one) => isOf(one, row));
    if (!sums) {
      sums = { org_id: row.org_id, hour: row.started_at.slice(0, 13), durations: [], first_contents: [] };
      all.push(sums);
    }
    countTime(sums.durations, row.duration_ms);
    if (row.streamed && row.latency_ms !== null) countTime(sums.first_contents, row.latency_ms);
    last = sums;
  }
  return all;
}

const latencyJson = (rows: readonly BookedRow[]): string =>
  JSON.stringify(sumLatency(rows).map((sums) => ({ ...sums, hour: `${sums.hour}:00Z` })));

/** Adds generations to the sums of their days and hours. `sums` are theirs. */
export async function bookUsage(
  client: pg.ClientBase,
  booked: readonly BookedRow[],
  sums: readonly UsageSum[] = sumUsage(booked),
): Promise<void> {
  await client.query(addAll, [jsonOfSums(sums), latencyJson(booked)]);
}

/** The same for generations that the sums of their days already have. */
export async function bookHours(client: pg.ClientBase, booked: readonly BookedRow[]): Promise<void> {
  await client.query(addHoursOnly, [jsonOfSums(sumUsage(booked)), latencyJson(booked)]);
}
