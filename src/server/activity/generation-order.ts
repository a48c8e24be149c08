import type { GenerationCursor } from "#contract/generation.ts";
import { Prisma } from "#generated/prisma/client.ts";
import type { Database } from "#server/db/index.ts";

/** The order of lists of requests. */
export const newestFirst = Prisma.sql`order by started_at desc, id asc`;

/** The first condition uses the index; the second one separates rows of the same millisecond. */
export const olderThan = ({ started_at, id }: GenerationCursor): Prisma.Sql => Prisma.sql`
  (started_at <= ${started_at}::timestamptz and (started_at < ${started_at}::timestamptz or id > ${id}::uuid))`;

/** Everything that `olderThan` leaves out. */
export const notOlderThan = ({ started_at, id }: GenerationCursor): Prisma.Sql => Prisma.sql`
  (started_at >= ${started_at}::timestamptz and (started_at > ${started_at}::timestamptz or id <= ${id}::uuid))`;

interface PlaceRow {
  started_at: Date;
  id: string;
}

/** The last of `count` rows, from the index alone. Null if there are fewer. */
export async function placeOfLast(
  { prisma }: Database,
  within: Prisma.Sql,
  count: number,
): Promise<GenerationCursor | null> {
  const [row] = await prisma.$queryRaw<PlaceRow[]>`
    select started_at, id from generation where ${within} ${newestFirst} offset ${count - 1} limit 1`;
  return row ? { started_at: row.started_at.toISOString(), id: row.id } : null;
}
