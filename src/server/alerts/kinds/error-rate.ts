import type { AlertSettings } from "#contract/alert-kind.ts";
import { type Evaluator, finderOf } from "../kind.ts";
import { counted, judgeSamples, type Sample, shownNumber } from "../samples.ts";
import {
  countedRequest,
  isGroupedBy,
  lastMinutes,
  namedSubject,
  ofScope,
  recentGenerations,
  subjectOf,
} from "./requests.ts";

export const errorRate: Evaluator<AlertSettings<"error_rate">, readonly Sample[]> = {
  read: (deps, query) => deps.database.prisma.$queryRaw<Sample[]>`
    select ${subjectOf(query.settings.group_by)} as subject, count(*)::int as count,
      (100.0 * count(*) filter (where recent.status = 'failed') / count(*))::float8 as value
    from ${recentGenerations(query)} where ${ofScope(query)} and ${countedRequest(deps, query)}
    group by 1 order by 1`,
  evaluate: ({ above_percent, min_requests, window_minutes, group_by }, samples, evaluation) =>
    judgeSamples(
      samples,
      {
        limit: above_percent,
        countMin: min_requests,
        isGrouped: isGroupedBy(group_by),
        textsOf: ({ subject, count, value }) => ({
          title: `Error rate${namedSubject(subject)} is ${above_percent} % or more`,
          detail: `${shownNumber(value)} % of ${counted(count, "request")} failed ${lastMinutes(window_minutes)}`,
        }),
      },
      evaluation,
    ),
};

export const findErrorRates = finderOf("error_rate", errorRate);
