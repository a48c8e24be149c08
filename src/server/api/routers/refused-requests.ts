import { dataList } from "#contract/common.ts";
import { RefusedRequest, RefusedRequestQuery } from "#contract/refused-request.ts";
import { listRefusedRequests } from "#server/activity/index.ts";
import { permitted, rest, router } from "../trpc.ts";

export const refusedRequestsRouter = router({
  list: permitted("activity:read", "workspace")
    .meta(
      rest("GET", "/refused-requests", {
        summary: "List requests that were refused",
        description:
          "Inference that was refused before a provider was asked, and why: no endpoint was left, too little credit, " +
          "a limit, a model the key may not use, a field that was wrong. Similar refusals on one day are grouped. " +
          "The newest 1,000 rows are kept, for 30 days; a refusal is here within seconds.",
        tag: "Activity",
      }),
    )
    .input(RefusedRequestQuery)
    .output(dataList(RefusedRequest))
    .query(({ ctx, input }) => listRefusedRequests(ctx.services.database, ctx.caller, input)),
});
