import type { ErasureCounts, SubjectType } from "#contract/data-subjects.ts";
import { summedColumns } from "#server/billing/index.ts";
import type { Database } from "#server/db/index.ts";
import { limits } from "#server/platform/limits.ts";

/** Stored data of a subject in one table. Its statements return one row with `count`. */
interface Part {
  readonly name: keyof ErasureCounts;
  readonly count: string;
  readonly erase: string;
}

const { rowsTogether } = limits.deletion;

interface Rows {
  readonly table: string;
  /** The condition. `$1` is the organisation. */
  readonly where: string;
}

/** At most `rowsTogether` rows at a time, so that no statement takes long. A row that was changed matches no more. */
const changed = (name: Part["name"], { table, where }: Rows, change: string): Part => ({
  name,
  count: `select count(*)::int as count from ${table} where ${where}`,
  erase: `
    with erased as (
      ${change} where ctid = any(array(select ctid from ${table} where ${where} limit ${rowsTogether})) returning 1
    )
    select count(*)::int as count from erased`,
});

const deleted = (name: Part["name"], table: string, where: string): Part =>
  changed(name, { table, where }, `delete from ${table}`);

const updated = (name: Part["name"], rows: Rows, change: string): Part =>
  changed(name, rows, `update ${rows.table} set ${change}`);

/** What belongs to requests: `$2` is the list of their ids. */
const pendingTraces = updated(
  "pending_traces",
  {
    table: "destination_delivery",
    where: `destination_id in (select id from destination where org_id = $1::uuid)
      and generation_id = any($2::uuid[]) and payload is not null`,
  },
  `payload = null, reason = 'The data was erased', finished_at = coalesce(finished_at, now()),
    status = case when status = 'pending' then 'dropped' else status end`,
);
const contentOfRequests = [
  deleted("stored_responses", "stored_response", "org_id = $1::uuid and id = any($2::uuid[])"),
  deleted("stored_chat_completions", "stored_completion", "org_id = $1::uuid and id = any($2::uuid[])"),
  deleted("conversation_items", "conversation_item", "org_id = $1::uuid and generation_id = any($2::uuid[])"),
];

/** What an owner of keys, or a key, has stored: `$2` is its id. Records of its requests may have been deleted. */
const contentOfOwner = (column: "user_id" | "api_key_id"): readonly Part[] => [
  deleted("conversations", "conversation", `org_id = $1::uuid and ${column} = $2::uuid`),
  deleted("stored_responses", "stored_response", `org_id = $1::uuid and ${column} = $2::uuid`),
  deleted("stored_chat_completions", "stored_completion", `org_id = $1::uuid and ${column} = $2::uuid`),
];

const usageKey = ["org_id", "tag", "day", "api_key_id", "workspace_id", "model", "provider", "is_byok"];
const usageOfEndUser = "usage_tag_day where org_id = $1::uuid and tag = 'end_user' and tag_value = $2::text";

/** Sums by the tag `end_user` remain, without a name. */
const usage: Part = {
  name: "usage_rows",
  count: `select count(*)::int as count from ${usageOfEndUser}`,
  erase: `
    with erased as (delete from ${usageOfEndUser} returning *), named as (
      delete from tag_value where org_id = $1::uuid and tag = 'end_user' and value = $2::text
    ), added as (
      insert into usage_tag_day (${usageKey.join(", ")}, tag_value, ${summedColumns.join(", ")})
      select ${usageKey.join(", ")}, '(erased)', ${summedColumns.join(", ")} from erased
      on conflict (${usageKey.join(", ")}, tag_value) do update set
        ${summedColumns.map((column) => `${column} = usage_tag_day.${column} + excluded.${column}`).join(", ")}
    )
    select count(*)::int as count from erased`,
};

/** Counters of budgets keep what they have counted. */
const counters = updated(
  "budget_counters",
  {
    table: "budget_counter",
    where:
      "budget_id in (select id from budget where org_id = $1::uuid) and $2::text = any(values) and $2::text <> '(erased)'",
  },
  "values = array_replace(values, $2::text, '(erased)')",
);

/** The end user as the title of an incident names them: `… for team, ada reached 80 %`, as a regular expression. */
const namedInTitle = String.raw`'( for |, )' || regexp_replace($2::text, '([^A-Za-z0-9])', '\\\1', 'g') || '(, | reached )'`;
const incidents = updated(
  "alert_incidents",
  {
    table: "alert_incident",
    where: `org_id = $1::uuid and kind = 'budget' and title ~ (${namedInTitle}) and $2::text <> '(erased)'`,
  },
  String.raw`title = regexp_replace(title, ${namedInTitle}, '\1(erased)\2', 'g')`,
);

/** Archives of requests, which may name any subject. They can be built again. */
const packages = deleted(
  "evidence_packages",
  "evidence_package",
  "org_id = $1::uuid and $2::text is not null",
);

interface StoredData {
  /** Of some of its requests at a time. */
  readonly ofRequests: readonly Part[];
  /** Once, with the subject. */
  readonly once: readonly Part[];
}

export const partsOf: Record<SubjectType, StoredData> = {
  end_user: {
    ofRequests: [...contentOfRequests, pendingTraces],
    once: [usage, counters, incidents, packages],
  },
  person: { ofRequests: [pendingTraces], once: [...contentOfOwner("user_id"), packages] },
  api_key: { ofRequests: [pendingTraces], once: [...contentOfOwner("api_key_id"), packages] },
};

export const noCounts: ErasureCounts = {
  ...{ requests: 0, personal_records: 0, stored_responses: 0, stored_chat_completions: 0 },
  ...{ conversations: 0, conversation_items: 0, pending_traces: 0, usage_rows: 0, budget_counters: 0 },
  alert_incidents: 0,
  evidence_packages: 0,
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
    let isOver = false;
    while (!isOver) {
      const [row] = await statement<{ count: number }>(dryRun ? count : erase, [orgId, of]);
      const found = row?.count ?? 0;
      counts[name] = (counts[name] ?? 0) + found;
      isOver = dryRun || found < rowsTogether;
    }
  }
  return counts;
}
