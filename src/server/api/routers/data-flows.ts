import {
  DataFlowQuery,
  DataFlowReport,
  DataFlowRequests,
  DataFlowRequestsQuery,
} from "#contract/data-flows.ts";
import type { Database } from "#server/db/index.ts";
import { listDataFlowRequests, reportDataFlows } from "#server/evidence/index.ts";
import { catalogueFor } from "../catalogue-for.ts";
import type { Services } from "../services.ts";
import { permitted, rest, router } from "../trpc.ts";

const tag = "Evidence";
const example = { from: "2026-11-03T00:00:00Z", to: "2026-11-06T00:00:00Z", provider: "sandbox-fr" };

const depsOf = ({ config }: Services, database: Database) => ({
  database,
  adequacyOff: new Set(config.EU_ADEQUACY_EXCLUDE),
});

export const dataFlowsRouter = router({
  report: permitted("audit:read", "organisation")
    .meta(
      rest("GET", "/data-flows", {
        summary: "Report where requests went",
        description:
          "Every provider that received requests of a period, also those that failed, with what was known of it at that time; and the " +
          "keys, people, end users, destinations and stored answers concerned. With `provider`: what an incident at that " +
          "provider affects. With `facts_hash`: what a wrong fact affects. With `end_user`: where data of one person went.",
        tag,
        example,
      }),
    )
    .input(DataFlowQuery)
    .output(DataFlowReport)
    .query(({ ctx: { services, caller }, input }) => {
      const { providers } = catalogueFor(services, caller);
      const nameOf = (slug: string) => providers.get(slug)?.name ?? slug;
      return services.reports((database) =>
        reportDataFlows(depsOf(services, database), caller, input, nameOf),
      );
    }),

  requests: permitted("audit:read", "organisation")
    .meta(
      rest("GET", "/data-flows/requests", {
        summary: "List the requests of a report",
        description:
          "The requests that `GET /data-flows` counts, newest first, each with every provider that was tried. A page costs more the " +
          "less of the period matches.",
        tag,
        example,
        errors: [404],
      }),
    )
    .input(DataFlowRequestsQuery)
    .output(DataFlowRequests)
    .query(({ ctx: { services, caller }, input }) =>
      services.reports((database) => listDataFlowRequests(depsOf(services, database), caller, input)),
    ),
});
