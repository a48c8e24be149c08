import type { Endpoint } from "#server/catalog/index.ts";
import { dayMs, isoDay } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import type { FactDeps, FactQuery } from "../kind.ts";

/** The endpoints of the catalogue that an organisation, or any, has used in the last 30 days. */
export async function usedEndpoints(
  { database, catalogue }: FactDeps,
  { orgId, nowMs }: FactQuery<unknown>,
): Promise<Endpoint[]> {
  const first = isoDay(nowMs - limits.alerts.usedWithinDays * dayMs);
  const pairs = await database.prisma.$queryRaw<{ provider: string; model: string }[]>`
    select distinct provider, model from usage_day
    where day >= ${first}::date and provider <> '' and (${orgId}::uuid is null or org_id = ${orgId}::uuid)`;
  const { endpointsByModel } = catalogue(orgId);
  return pairs
    .flatMap(({ provider, model }) =>
      (endpointsByModel.get(model) ?? []).filter((one) => one.provider.slug === provider),
    )
    .toSorted((one, other) => one.id.localeCompare(other.id));
}
