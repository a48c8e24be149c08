import { z } from "zod";
import { data, Uuid } from "#contract/common.ts";
import { DecisionReplay } from "#contract/decision-replay.ts";
import { Explanation } from "#contract/explanation.ts";
import {
  GenerationDetail,
  GenerationListQuery,
  GenerationPage,
  GenerationReplay,
  GenerationVolume,
  GenerationVolumeQuery,
} from "#contract/generation.ts";
import { GenerationQuery, GenerationRecord } from "#contract/generation-record.ts";
import { SessionListQuery, SessionPage } from "#contract/session-list.ts";
import { GenerationReceipt } from "#contract/transparency-log.ts";
import { authorize } from "#server/access/authorize.ts";
import {
  findGeneration,
  generationRecord,
  generationVolume,
  listGenerations,
  listSessions,
} from "#server/activity/index.ts";
import { explainGeneration, replayGeneration } from "#server/evidence/index.ts";
import { replayOf } from "#server/inference/index.ts";
import { readReceipt } from "#server/transparency/index.ts";
import { catalogueFor } from "../catalogue-for.ts";
import { engineNow } from "../engine-now.ts";
import { permitted, rest, router } from "../trpc.ts";

/** The console's log of generations, and the record of one generation for clients. */
export const generationsRouter = router({
  list: permitted("activity:read", "workspace")
    .input(GenerationListQuery)
    .output(GenerationPage)
    .query(({ ctx, input }) => listGenerations(ctx.services.database, ctx.caller, input)),

  sessions: permitted("activity:read", "workspace")
    .input(SessionListQuery)
    .output(SessionPage)
    .query(({ ctx, input }) => listSessions(ctx.services.database, ctx.caller, input)),

  get: permitted("activity:read", "workspace")
    .input(z.object({ id: Uuid }))
    .output(GenerationDetail)
    .query(({ ctx: { services, caller }, input }) => findGeneration(services.database, caller, input.id)),

  /** What the playground needs to repeat a request; the content is read with `GET /responses/{id}`. */
  replay: permitted("inference:use", "workspace")
    .input(z.object({ id: Uuid }))
    .output(GenerationReplay)
    .query(async ({ ctx, input }) => {
      const { database, responses } = ctx.services;
      const reader = authorize(ctx.caller, "activity:read", "workspace");
      return replayOf(responses, ctx.caller, await findGeneration(database, reader, input.id));
    }),

  read: permitted("activity:read", "workspace")
    .meta(
      rest("GET", "/generation", {
        summary: "Get a generation",
        description:
          "The cost, provider and attempts of a request of your organisation. `id` is the answer's own, or " +
          "the header `x-generation-id`. A generation can be read within a second of its end.",
        tag: "Inference",
        errors: [404],
      }),
    )
    .input(GenerationQuery)
    .output(data(GenerationRecord))
    .query(async ({ ctx, input }) => {
      const { database } = ctx.services;
      const { providers } = catalogueFor(ctx.services, ctx.caller);
      const detail = await findGeneration(database, ctx.caller, input.id);
      return { data: generationRecord(detail, (slug) => providers.get(slug)?.name ?? slug) };
    }),

  receipt: permitted("activity:read", "workspace")
    .meta(
      rest("GET", "/generations/{id}/receipt", {
        summary: "Get the receipt of a request",
        description:
          "What is recorded about a request: every provider that received it, who answered, the rules, the reason for " +
          "each exclusion, usage and cost; with the proof that it is in the transparency log, from 5 seconds after the " +
          "request was recorded. `verify.mjs` verifies it offline. It contains no content.",
        tag: "Activity",
        errors: [404],
      }),
    )
    .input(GenerationQuery)
    .output(GenerationReceipt)
    .query(({ ctx, input }) => readReceipt(ctx.services.transparency, ctx.caller, input.id)),

  explanation: permitted("activity:read", "workspace")
    .meta(
      rest("GET", "/generations/{id}/explanation", {
        summary: "Explain the routing of a request",
        description:
          "Why a request went where it went, in words: the rules that applied, every endpoint with its country, price and " +
          "retention of that time and the first reason that excluded it, each attempt, and what it cost.",
        tag: "Activity",
        errors: [404],
      }),
    )
    .input(GenerationQuery)
    .output(data(Explanation))
    .query(async ({ ctx: { services, caller }, input }) => {
      const detail = await findGeneration(services.database, caller, input.id);
      return { data: await explainGeneration(services.database, caller, detail) };
    }),

  replayDecision: permitted("activity:read", "workspace")
    .meta(
      rest("POST", "/generations/{id}/replay", {
        summary: "Replay the decision about a request",
        description:
          "Makes the decision about a recorded request again, from the rules, facts, prices and credentials that were " +
          "recorded with it, and says whether the result is the same. Also says where the same request would go today. No " +
          "provider is contacted and nothing is charged.",
        tag: "Activity",
        errors: [404],
        audit: { none: "changes nothing" },
      }),
    )
    .input(GenerationQuery)
    .output(DecisionReplay)
    .mutation(({ ctx: { services, caller }, input }) => {
      const { router: engine } = engineNow(services.inference, caller);
      return replayGeneration(services.database, engine, caller, input.id);
    }),

  volume: permitted("activity:read", "workspace")
    .input(GenerationVolumeQuery)
    .output(GenerationVolume)
    .query(({ ctx, input }) =>
      ctx.services.reports((database) => generationVolume(database, ctx.caller, input)),
    ),
});
