import { setImmediate as nextTurn } from "node:timers/promises";
import { apis } from "#contract/inference-operations.ts";
import type { Catalogue } from "#server/catalog/index.ts";
import type { Database } from "#server/db/index.ts";
import { clock, isoDay } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import type { Router } from "./router.ts";

/** IDs of endpoints and models. */
export interface EligibilityChange {
  readonly admitted: readonly string[];
  readonly excluded: readonly string[];
  /** Models that lose their last eligible endpoint. */
  readonly unserved: readonly string[];
}

/** The eligible endpoints of each model, under the rules for all requests of an organisation. */
function eligibleIn(router: Router, catalogue: Catalogue, orgId: string): Map<string, readonly string[]> {
  const models = [...catalogue.models.keys()];
  if (models.length === 0) return new Map();
  // Rules of people, workspaces and keys do not apply to nobody.
  const subject = { orgId, userId: "", workspaceId: null, keyId: null };
  const { decisions } = router
    .over(catalogue)
    .route({ models }, { subject, apis, today: isoDay(clock.nowMs()) });
  return new Map(decisions.map(({ model, ranked }) => [model, ranked.map(({ id }) => id)]));
}

/** Which endpoints an organisation's rules admit or exclude only after a change of the catalogue. */
export function eligibilityChange(
  router: Router,
  before: Catalogue,
  after: Catalogue,
  orgId: string,
): EligibilityChange {
  const [old, now] = [eligibleIn(router, before, orgId), eligibleIn(router, after, orgId)];
  const [known, later] = [new Set([...old.values()].flat()), new Set([...now.values()].flat())];
  return {
    admitted: [...later].filter((id) => !known.has(id)).sort(),
    excluded: [...known].filter((id) => !later.has(id)).sort(),
    unserved: [...old]
      .flatMap(([model, ids]) => (ids.length > 0 && !now.get(model)?.length ? [model] : []))
      .sort(),
  };
}

interface OrganisationRules {
  readonly router: (orgId: string) => Router;
  /** The organisation that asks, which is not counted. */
  readonly exceptOrgId: string;
}

/** How many other organisations have rules for all their requests, and a model that nothing would serve any more. */
export async function unservedOrganisations(
  { prisma }: Database,
  { router, exceptOrgId }: OrganisationRules,
  before: Catalogue,
  after: Catalogue,
): Promise<{ checked: number; unserved: number }> {
  const ruled = await prisma.routing_rule.findMany({
    where: { scope: "org", enabled: true, auto_apply: true, org_id: { not: exceptOrgId } },
    distinct: ["org_id"],
    select: { org_id: true },
    orderBy: { org_id: "asc" },
    take: limits.catalogue.updateOrganisationsMax,
  });
  let unserved = 0;
  for (const { org_id } of ruled) {
    if (eligibilityChange(router(org_id), before, after, org_id).unserved.length > 0) unserved++;
    // Requests are served meanwhile.
    await nextTurn();
  }
  return { checked: ruled.length, unserved };
}
