import { otherValues, type Tag, type TagsUpdate } from "#contract/tag.ts";
import type { PrismaClient } from "#generated/prisma/client.ts";
import type { Authorized } from "#server/access/authorize.ts";
import { changeConfiguration } from "#server/audit/change.ts";
import type { Database, Tx } from "#server/db/index.ts";
import { clock, isoDay } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import type { TagIndex } from "./tag-values.ts";

/** Loads the tags of all organisations for the inference path. */
export async function loadTagIndex(prisma: PrismaClient): Promise<TagIndex> {
  const rows = await prisma.organisation.findMany({
    where: { tags: { isEmpty: false } },
    select: { id: true, tags: true },
  });
  return new Map(rows.map(({ id, tags }) => [id, tags]));
}

interface Counts {
  readonly name: string;
  readonly values: number;
  readonly other_requests: number;
}

async function described(tx: Tx, orgId: string): Promise<Tag[]> {
  const month = `${isoDay(clock.nowMs()).slice(0, 7)}-01`;
  const rows = await tx.$queryRaw<Counts[]>`
    select chosen.tag as name, (
      select count(*) from tag_value where org_id = ${orgId}::uuid and tag = chosen.tag and month = ${month}::date
    )::int as values, (
      select coalesce(sum(requests), 0) from usage_tag_day
      where org_id = ${orgId}::uuid and tag = chosen.tag and day >= ${month}::date and tag_value = ${otherValues}
    )::float8 as other_requests
    from organisation, unnest(tags) with ordinality as chosen (tag, place)
    where id = ${orgId}::uuid order by place`;
  return rows.map((row) => ({ ...row, values_max: limits.tags.valuesMax }));
}

/** Returns the tags of the caller's organisation, with how many values each has in this month. */
export const listTags = (
  { prisma }: Database,
  { orgId }: Authorized<"activity:read", "organisation">,
): Promise<Tag[]> => described(prisma, orgId);

/** Replaces the tags of the caller's organisation. What was counted for others remains. */
export async function setTags(
  database: Database,
  caller: Authorized<"workspaces:write", "organisation">,
  { tags }: TagsUpdate,
): Promise<Tag[]> {
  const { orgId: id } = caller;
  return changeConfiguration(database, caller, "tags.update", async (tx) => {
    const before = await tx.organisation.findUniqueOrThrow({ where: { id }, select: { tags: true } });
    await tx.organisation.update({ where: { id }, data: { tags: [...tags] } });
    return { result: await described(tx, id), audit: { id, before, after: { tags } } };
  });
}
