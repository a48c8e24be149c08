import type { ErasureCounts, SubjectType } from "#contract/data-subjects.ts";
import type { Database } from "#server/db/index.ts";

/** Stored data of a subject in one table. Its statements return one row with `count`. */
interface Part {
  readonly name: keyof ErasureCounts;
  readonly count: string;
  readonly erase: string;
}

/** `rows` is a table with its condition. `$1` is the organisation. */
const deleted = (name: Part["name"], rows: string): Part => ({
  name,
  count: `select count(*)::int as count from ${rows}`,
  erase: `with erased as (delete from ${rows} returning 1) select count(*)::int as count from erased`,
});

const updated = (name: Part["name"], table: string, change: string, where: string): Part => ({
  name,
  count: `select count(*)::int as count from ${table} where ${where}`,
  erase: `
    with erased as (update ${table} set ${change} where ${where} returning 1)
    select count(*)::int as count from erased`,
});

/** What belongs to requests: `$2` is the list of their ids. */
const pendingTraces = updated(
  "pending_traces",
  "destination_delivery",
  `payload = null, reason = 'The data was erased', finished_at = coalesce(finished_at, now()),
    status = case when status = 'pending' then 'dropped' else status end`,
  `destination_id in (select id from destination where org_id = $1::uuid) and generation_id = any($2::uuid[])
    and payload is not null`,
);
const contentOfRequests = [
  deleted("stored_responses", "stored_response where org_id = $1::uuid and id = any($2::uuid[])"),
  deleted("stored_chat_completions", "stored_completion where org_id = $1::uuid and id = any($2::uuid[])"),
  deleted(
    "conversation_items",
    "conversation_item where org_id = $1::uuid and generation_id = any($2::uuid[])",
  ),
];

/** What an owner of keys, or a key, has stored: `$2` is its id. Records of its requests may have been deleted. */
const contentOfOwner = (column: "user_id" | "api_key_id"): readonly Part[] => [
  deleted("conversations", `conversation where org_id = $1::uuid and ${column} = $2::uuid`),
  deleted("stored_responses", `stored_response where org_id = $1::uuid and ${column} = $2::uuid`),
  deleted("stored_chat_completions", `stored_completion where org_id = $1::uuid and ${column} = $2::uuid`),
];

const usageKey = ["org_id", "tag", "day", "api_key_id", "workspace_id", "model", "provider", "is_byok"];
const usageSums = [
  ...["requests", "errors", "prompt_tokens", "completion_tokens", "cached_tokens", "reasoning_tokens"],
  ...["search_units", "cost_pico_usd", "cost_pico_eur", "upstream_pico_usd"],
];
const usageOfEndUser = "usage_tag_day where org_id = $1::uuid and tag = 'end_user' and tag_value = $2::text";

/** Sums by the tag `end_user` remain, without a name. */
const usage: Part = {
  name: "usage_rows",
  count: `select count(*)::int as count from ${usageOfEndUser}`,
  erase: `
    with erased as (delete from ${usageOfEndUser} returning *), named as (
      delete from tag_value where org_id = $1::uuid and tag = 'end_user' and value = $2::text
    ), added as (
      insert into usage_tag_day (${usageKey.join(", ")}, tag_value, ${usageSums.join(", ")})
      select ${usageKey.join(", ")}, '(erased)', ${usageSums.join(", ")} from erased
      on conflict (${usageKey.join(", ")}, tag_value) do update set
        ${usageSums.map((column) => `${column} = usage_tag_day.${column} + excluded.${column}`).join(", ")}
    )
    select count(*)::int as count from erased`,
};

/** Counters of budgets keep what they have counted. */
const counters = updated(
  "budget_counters",
  "budget_counter",
  "values = array_replace(values, $2::text, '(erased)')",
  "budget_id in (select id from budget where org_id = $1::uuid) and $2::text = any(values)",
);

/** The end user as the title of an incident names them: `… for team, ada reached 80 %`, as a regular expression. */
const namedInTitle = String.raw`'( for |, )' || regexp_replace($2::text, '([^A-Za-z0-9])', '\\\1', 'g') || '(, | reached )'`;
const incidents = updated(
  "alert_incidents",
  "alert_incident",
  String.raw`title = regexp_replace(title, ${namedInTitle}, '\1(erased)\2', 'g')`,
  `org_id = $1::uuid and kind = 'budget' and title ~ (${namedInTitle})`,
);

interface StoredData {
  /** Of some of its requests at a time. */
  readonly ofRequests: readonly Part[];
  /** Once, with the subject. */
  readonly once: readonly Part[];
}

export const partsOf: Record<SubjectType, StoredData> = {
  end_user: { ofRequests: [...contentOfRequests, pendingTraces], once: [usage, counters, incidents] },
  person: { ofRequests: [pendingTraces], once: contentOfOwner("user_id") },
  api_key: { ofRequests: [pendingTraces], once: contentOfOwner("api_key_id") },
};

export const noCounts: ErasureCounts = {
  ...{ requests: 0, personal_records: 0, stored_responses: 0, stored_chat_completions: 0 },
  ...{ conversations: 0, conversation_items: 0, pending_traces: 0, usage_rows: 0, budget_counters: 0 },
  alert_incidents: 0,
};

export const addCounts = (a: ErasureCounts, b: Partial<ErasureCounts>): ErasureCounts => {
  const sum = { ...a };
  for (const [name, count] of Object.entries(b)) sum[name as keyof ErasureCounts] += count;
  return sum;
};

interface Erasing {
  readonly orgId: string;
  readonly dryRun: boolean;
  /** What `$2` is. */
  readonly of: string | readonly string[];
}

/** Erases or counts some parts, one after the other. */
export async function eraseParts(
  { statement }: Database,
  parts: readonly Part[],
  { orgId, dryRun, of }: Erasing,
): Promise<Partial<ErasureCounts>> {
  const counts: Partial<ErasureCounts> = {};
  for (const { name, count, erase } of parts) {
    const [row] = await statement<{ count: number }>(dryRun ? count : erase, [orgId, of]);
    counts[name] = (counts[name] ?? 0) + (row?.count ?? 0);
  }
  return counts;
}
