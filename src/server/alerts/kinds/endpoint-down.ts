import type { AlertSettings } from "#contract/alert-kind.ts";
import { Prisma } from "#generated/prisma/client.ts";
import { type Evaluator, finderOf } from "../kind.ts";
import { counted, judgeSamples, type Sample, shownNumber } from "../samples.ts";
import { countedEndpoint, lastMinutes, ofScope, recentGenerations } from "./requests.ts";

/** Outcomes of attempts that no other request would have changed. Rate limits and bad requests are none. */
const faults = [
  ...["refused", "timeout", "server_error", "overloaded", "cut", "malformed", "too_large", "too_slow"],
  ...["model_missing", "credential", "quota", "blocked"],
];

export const endpointDown: Evaluator<AlertSettings<"endpoint_down">, readonly Sample[]> = {
  read: (deps, query) => deps.database.prisma.$queryRaw<Sample[]>`
    select attempt.endpoint as subject, count(*)::int as count,
      (100.0 * count(*) filter (where outcome <> 'ok') / count(*))::float8 as value
    from ${recentGenerations(query)} cross join lateral (
      select recent.endpoint, 'ok' where recent.attempt_ms is not null
      union all
      select one ->> 'endpoint', one ->> 'outcome' from jsonb_array_elements(recent.attempts) as one
    ) as attempt (endpoint, outcome)
    where ${ofScope(query)} and outcome = any(${["ok", ...faults]})
      and ${countedEndpoint(deps, query, Prisma.sql`attempt.endpoint`)} group by 1 order by 1`,
  evaluate: ({ above_percent, min_requests, window_minutes }, samples, evaluation) =>
    judgeSamples(
      samples,
      {
        limit: above_percent,
        countMin: min_requests,
        textsOf: ({ subject, count, value }) => ({
          title: `Endpoint ${subject} is down`,
          detail: `${shownNumber(value)} % of ${counted(count, "attempt")} failed ${lastMinutes(window_minutes)}`,
        }),
      },
      evaluation,
    ),
};

export const findDownEndpoints = finderOf("endpoint_down", endpointDown);
