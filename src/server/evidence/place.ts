import { Prisma } from "#generated/prisma/client.ts";

/** A request among those of its organisation, newest first: everything after it is older. */
export interface Place {
  readonly startedAt: string;
  readonly id: string;
}

/** The rows of `generation` after a place; all of them without one. */
export const beyond = (place: Place | null): Prisma.Sql => {
  if (!place) return Prisma.sql`true`;
  const { startedAt, id } = place;
  // The first condition uses the index; the second one separates rows of the same millisecond.
  return Prisma.sql`(started_at <= ${startedAt}::timestamptz
    and (started_at < ${startedAt}::timestamptz or id > ${id}::uuid))`;
};
