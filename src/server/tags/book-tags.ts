import { otherValues } from "#contract/tag.ts";
import { type BookedRow, type BookingWriter, summedColumns, sumUsage } from "#server/billing/index.ts";
import { limits } from "#server/platform/limits.ts";
import { jsonOfSums } from "#server/platform/sums-json.ts";

/** A value of a tag in a month of an organisation. */
interface TagValue {
  readonly org_id: string;
  readonly tag: string;
  readonly month: string;
  readonly value: string;
}

const monthOf = (row: BookedRow): string => `${row.started_at.slice(0, 7)}-01`;

/**
 * Stores new values of tags while there is room for them in their month. Returns those for which there is none. The
 * organisation's balance is locked by the booking, so no other process adds values at the same time.
 */
const registerValues = `
  with asked as (
    select * from jsonb_to_recordset($1::jsonb) as asked (org_id uuid, tag text, month date, value text)
  ), fresh as (
    select asked.* from asked left join tag_value using (org_id, tag, month, value)
    where tag_value.value is null
  ), taken as (
    select org_id, tag, month, (
      select count(*) from tag_value
      where org_id = place.org_id and tag = place.tag and month = place.month
    ) as count
    from (select distinct org_id, tag, month from fresh) as place
  ), numbered as (
    select fresh.*, count + row_number() over (partition by org_id, tag, month order by value) as number
    from fresh join taken using (org_id, tag, month)
  ), added as (
    insert into tag_value (org_id, tag, month, value)
    select org_id, tag, month, value from numbered where number <= $2
    order by org_id, tag, month, value on conflict do nothing
  )
  select org_id, tag, to_char(month, 'YYYY-MM-DD') as month, value from numbered where number > $2`;

const sumKey = "org_id, tag, day, tag_value, api_key_id, workspace_id, model, provider, is_byok";

/** The sums that reports by tag read, in a fixed order. */
const addUsage = `
  insert into usage_tag_day (${sumKey}, ${summedColumns.join(", ")})
  select ${sumKey}, ${summedColumns.map((column) => `sum(${column})`).join(", ")}
  from json_populate_recordset(null::usage_tag_day, $1::json)
  group by ${sumKey} order by ${sumKey}
  on conflict (${sumKey}) do update set
    ${summedColumns.map((column) => `${column} = usage_tag_day.${column} + excluded.${column}`).join(", ")}`;

const keyOf = ({ org_id, tag, month, value }: TagValue): string => [org_id, tag, month, value].join("\n");

/** The values of all tags of these rows, with the rows of each. */
function byValue(rows: readonly BookedRow[]): { readonly value: TagValue; readonly rows: BookedRow[] }[] {
  const groups = new Map<string, { readonly value: TagValue; readonly rows: BookedRow[] }>();
  for (const row of rows)
    for (const [tag, text] of Object.entries(row.tags ?? {})) {
      const value = { org_id: row.org_id, tag, month: monthOf(row), value: text };
      const group = groups.get(keyOf(value)) ?? { value, rows: [] };
      groups.set(keyOf(value), group);
      group.rows.push(row);
    }
  return [...groups.values()];
}

/** Adds booked generations with tags to the sums by tag. Further values than a tag may have are summed together. */
export const bookTags: BookingWriter = async (client, booked) => {
  const tagged = booked.filter(({ tags }) => tags !== undefined);
  if (tagged.length === 0) return;
  const groups = byValue(tagged);
  const { rows: refused } = await client.query<TagValue>(registerValues, [
    JSON.stringify(groups.map(({ value }) => value)),
    limits.tags.valuesMax,
  ]);
  const beyond = new Set(refused.map(keyOf));
  const summedBy = Map.groupBy(groups, ({ value }) =>
    keyOf(beyond.has(keyOf(value)) ? { ...value, value: otherValues } : value),
  );
  const sums = [...summedBy].flatMap(([key, together]) => {
    const [, tag, , tagValue] = key.split("\n");
    return sumUsage(together.flatMap(({ rows }) => rows)).map((day) => ({
      ...day,
      tag,
      tag_value: tagValue,
    }));
  });
  await client.query(addUsage, [jsonOfSums(sums)]);
};
