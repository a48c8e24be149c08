import type { AlertSettings } from "#contract/alert-kind.ts";
import { Prisma } from "#generated/prisma/client.ts";
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

type Settings = AlertSettings<"p95_latency">;

/** What is measured, of which completed requests, and its name. */
const measures: Record<Settings["measure"], { column: Prisma.Sql; where: Prisma.Sql; name: string }> = {
  first_content: {
    column: Prisma.sql`recent.latency_ms`,
    where: Prisma.sql`recent.streamed and recent.latency_ms is not null`,
    name: "first content",
  },
  duration: { column: Prisma.sql`recent.duration_ms`, where: Prisma.sql`true`, name: "duration" },
};

export const p95Latency: Evaluator<Settings, readonly Sample[]> = {
  read(deps, query) {
    const { column, where } = measures[query.settings.measure];
    return deps.database.prisma.$queryRaw<Sample[]>`
      select ${subjectOf(query.settings.group_by)} as subject, count(*)::int as count,
        percentile_disc(0.95) within group (order by ${column})::float8 as value
      from ${recentGenerations(query)}
      where ${ofScope(query)} and ${countedRequest(deps, query)} and recent.status = 'completed' and ${where}
      group by 1 order by 1`;
  },
  evaluate: ({ above_ms, measure, min_requests, window_minutes, group_by }, samples, evaluation) =>
    judgeSamples(
      samples,
      {
        limit: above_ms,
        countMin: min_requests,
        isGrouped: isGroupedBy(group_by),
        textsOf: ({ subject, count, value }) => ({
          title: `p95 latency${namedSubject(subject)} (${measures[measure].name}) is ${shownNumber(above_ms)} ms or more`,
          detail: `${shownNumber(value)} ms over ${counted(count, "request")} ${lastMinutes(window_minutes)}`,
        }),
      },
      evaluation,
    ),
};

export const findSlowRequests = finderOf("p95_latency", p95Latency);
