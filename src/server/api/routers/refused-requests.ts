import { dataList } from "#contract/common.ts";
import { RefusedRequest, RefusedRequestQuery } from "#contract/refused-request.ts";
import { listRefusedRequests } from "#server/activity/index.ts";
import { permitted, rest, router } from "../trpc.ts";

export const refusedRequestsRouter = router({
  list: permitted("activity:read", "workspace")
    .meta(
      rest("GET", "/refused-requests", {
        summary: "List refused requests",
        description:
          "Inference requests that were refused before a provider was called, and why: no eligible endpoint, too little credit, " +
          "a limit, a model the key may not use, an invalid field. Similar refusals on one day are grouped. " +
          "The newest 1,000 rows are stored for 30 days; a refusal can be read within seconds.",
        tag: "Activity",
      }),
    )
    .input(RefusedRequestQuery)
    .output(dataList(RefusedRequest))
    .query(({ ctx, input }) => listRefusedRequests(ctx.services.database, ctx.caller, input)),
});
