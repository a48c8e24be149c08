import { limits } from "#server/platform/limits.ts";

const retentionSeconds = limits.destinations.deliveredRetentionMs / 1_000;

/**
 * SQL: every trace that was handed to a destination, of requests with `id`, `started_at` and `destinations`: destination,
 * content, residency of that time, and the status of its delivery: `unknown` if the delivery is deleted, as after three
 * days. A trace that filters had to search first, and that has no delivery in this time, did not pass them.
 */
export const handedTraces = (requests: string): string => `
  with asked as materialized (${requests})
  select sent.generation_id, sent.destination_id, sent.content, sent.status, null as residency
  from asked join destination_delivery as sent on sent.generation_id = asked.id
  union all
  select asked.id, (one->>'id')::uuid, one->>'content', 'unknown', one->>'residency'
  from asked cross join lateral jsonb_array_elements(asked.destinations) as one
  where asked.destinations is not null
    and (one->'certain' is null or asked.started_at < now() - interval '${retentionSeconds} seconds')
    and not exists (
      select from destination_delivery as sent
      where sent.generation_id = asked.id and sent.destination_id = (one->>'id')::uuid)`;
