import { z } from "zod";
import { data, dataList, Uuid } from "#contract/common.ts";
import { RefusalExplanation } from "#contract/refusal-explanation.ts";
import { RefusedRequest, RefusedRequestQuery } from "#contract/refused-request.ts";
import { findRefusedRequest, listRefusedRequests } from "#server/activity/index.ts";
import { explainRefusedRequest } from "#server/evidence/index.ts";
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

  explanation: permitted("activity:read", "workspace")
    .meta(
      rest("GET", "/refused-requests/{id}/explanation", {
        summary: "Explain a refused request",
        description:
          "Who set the requirements that excluded every endpoint: routing rules with what they ask for now and who changed " +
          "them last, the request, or the installation; how many endpoints each excludes, and how many of them nothing else excludes.",
        tag: "Activity",
        errors: [404],
      }),
    )
    .input(z.strictObject({ id: Uuid.describe("ID of the entry.") }))
    .output(data(RefusalExplanation))
    .query(async ({ ctx: { services, caller }, input }) => {
      const refused = await findRefusedRequest(services.database, caller, input.id);
      return { data: await explainRefusedRequest(services.database, caller, refused) };
    }),
});
