import { Prisma } from "#generated/prisma/client.ts";
import { limits } from "#server/platform/limits.ts";

const retentionSeconds = limits.destinations.deliveredRetentionMs / 1_000;

/**
 * SQL: every trace that requests were handed to a destination with: when the request began, destination, content,
 * residency of that time, and the status of its delivery: `unknown` if the delivery is deleted, as after three days. A
 * trace that filters had to search first, and that has no delivery in this time, did not pass them. `selected` is a
 * condition on `generation`; `hasAny` is false if none of these requests has a destination, so that they are not read.
 */
export const handedTraces = (
  selected: Prisma.Sql,
  hasAny: Prisma.Sql = Prisma.sql`true`,
): Prisma.Sql => Prisma.sql`
  select request.started_at, sent.destination_id, sent.content, sent.status, null as residency
  from (select id, started_at from generation where ${selected}) as request
    join destination_delivery as sent on sent.generation_id = request.id
  union all
  select request.started_at, (one->>'id')::uuid, one->>'content', 'unknown', one->>'residency'
  from (
    select id, started_at, destinations from generation where destinations is not null and ${selected}
  ) as request cross join lateral jsonb_array_elements(request.destinations) as one
  where ${hasAny}
    and (one->'certain' is null or request.started_at < now() - make_interval(secs => ${retentionSeconds}))
    and not exists (
      select from destination_delivery as sent
      where sent.generation_id = request.id and sent.destination_id = (one->>'id')::uuid)`;
