import type { AlertSettings } from "#contract/alert-kind.ts";
import { dateAt } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import { type Evaluator, finderOf } from "../kind.ts";
import { counted } from "../samples.ts";
import { isWatched, type LimitOwner, limitOwners, namedLimit } from "./limits.ts";
import { lastMinutes } from "./requests.ts";

/** How many requests a limit refused in the period of a rule. */
export interface RefusalFact {
  readonly limit_of: LimitOwner;
  readonly limit_id: string;
  readonly name: string;
  readonly count: number;
}

const minuteMs = 60_000;

export const limitRefusals: Evaluator<AlertSettings<"limit_refusals">, readonly RefusalFact[]> = {
  read: ({ database }, { orgId, settings, nowMs }) => database.prisma.$queryRaw<RefusalFact[]>`
    select limit_of, limit_id, coalesce(budget.name, api_key.name, workspace.name, organisation.name) as name,
      sum(count)::int as count
    from limit_refusal as refusal
    left join budget on limit_of = 'budget' and budget.id = limit_id and budget.enabled
    left join api_key on limit_of in ('key', 'key_rate') and api_key.id = limit_id
    left join workspace on limit_of = 'workspace' and workspace.id = limit_id
    left join organisation on limit_of in ('organisation', 'organisation_rate') and organisation.id = limit_id
    where refusal.org_id = ${orgId}::uuid and minute > ${dateAt(nowMs - (settings.window_minutes + 1) * minuteMs)}
      and limit_of = any(${limitOwners.filter((owner) => isWatched(settings, owner))})
      and (${settings.budget_id}::uuid is null or limit_id = ${settings.budget_id}::uuid)
      and coalesce(budget.id, api_key.id, workspace.id, organisation.id) is not null
    group by 1, 2, 3 order by count desc, limit_id limit ${limits.alerts.countersMax}`,
  /** What is open stays so as long as any request is refused. */
  evaluate: ({ min_requests, window_minutes }, facts, { open }) =>
    facts.flatMap((fact) => {
      const subject = `${fact.limit_of}:${fact.limit_id}`;
      if (fact.count < (open.has(subject) ? 1 : min_requests)) return [];
      const title = `${namedLimit(fact)} refuses requests`;
      return [
        {
          subject,
          title,
          detail: `${counted(fact.count, "request")} refused ${lastMinutes(window_minutes)}`,
        },
      ];
    }),
};

export const findLimitRefusals = finderOf("limit_refusals", limitRefusals);
