import { z } from "zod";
import { data } from "#contract/common.ts";
import {
  ListedModel,
  ModelCount,
  ModelCountQuery,
  ModelEndpoints,
  ModelList,
  ModelListQuery,
  ModelPageQuery,
  UserModelsQuery,
  ZdrEndpoints,
} from "#contract/models.ts";
import {
  type Catalogue,
  countModels,
  type Endpoint,
  findModel,
  type Model,
  nameMeant,
  notFoundMessage,
  publicEndpoints,
  publicEndpointsWhere,
  publicModel,
  publicModels,
} from "#server/catalog/index.ts";
import { clock, isoDay } from "#server/platform/clock.ts";
import { AppError } from "#server/platform/errors.ts";
import { isZeroRetention, reachableModels, type Statistics } from "#server/policy/index.ts";
import { catalogueFor, credentialsFor } from "../catalogue-for.ts";
import type { Context } from "../context.ts";
import { anyone, permitted, rest, router } from "../trpc.ts";

/** A model's id as one segment of a path. */
export const EncodedName = z.object({
  model: z
    .string()
    .min(1)
    .max(200)
    .describe("Model ID with its slash encoded, such as `mistralai%2Fmistral-large-4`."),
});

/** A model's id contains a slash, so its path has two segments. */
const Named = z.object({
  author: z.string().min(1).max(200).describe("Part of the model ID before the slash, such as `mistralai`."),
  slug: z
    .string()
    .min(1)
    .max(200)
    .describe("Part of the model ID after the slash, such as `mistral-large-4`."),
});

/** The model with this ID. Throws NOT_FOUND, with the ID that was probably meant. */
export function modelNamed(catalogue: Catalogue, name: string): Model {
  const model = findModel(catalogue, name);
  if (model) return model;
  const message = notFoundMessage([name], (one) => nameMeant(catalogue, one));
  throw new AppError("NOT_FOUND", message, { param: "model" });
}

/** What this process measured of an endpoint; null without measurements. */
function seenOf({ signals }: Statistics) {
  return (measuredAs: string) => {
    const { cooling, health, latency, throughput } = signals(measuredAs);
    const tried = latency !== null || throughput !== null || health < 1;
    return {
      cooling,
      uptime_last_30m: tried ? Math.round(health * 10_000) / 100 : null,
      latency_last_30m: latency,
      throughput_last_30m: throughput,
    };
  };
}

function listedModel({ services, caller }: Context, { author, slug }: z.output<typeof Named>) {
  const catalogue = catalogueFor(services, caller);
  const model = modelNamed(catalogue, `${author}/${slug}`);
  return { data: publicModel(catalogue, model, credentialsFor(services, caller)) };
}

/** The models on offer, readable without a key. Prices are per token. */
export const modelsRouter = router({
  list: anyone
    .meta(
      rest("GET", "/models", {
        summary: "List models",
        description:
          "Every model that a provider offers, those usable in this installation first. Needs no key. Without `limit` " +
          "everything is listed. Requests with the header `anthropic-version` get the answer of `GET /anthropic/models`.",
        tag: "Models",
        public: true,
        cacheSeconds: 300,
      }),
    )
    .input(ModelListQuery)
    .output(ModelList)
    .query(({ ctx: { services, caller }, input }) =>
      publicModels(catalogueFor(services, caller), credentialsFor(services, caller), input),
    ),

  count: anyone
    .meta(
      rest("GET", "/models/count", {
        summary: "Count models",
        description: "The number of models that `GET /models` lists. Needs no key.",
        tag: "Models",
        public: true,
        cacheSeconds: 300,
      }),
    )
    .input(ModelCountQuery)
    .output(ModelCount)
    .query(({ ctx: { services, caller }, input }) => ({
      data: { count: countModels(catalogueFor(services, caller), input) },
    })),

  user: permitted("inference:use", "workspace")
    .meta(
      rest("GET", "/models/user", {
        summary: "List the models a key can use",
        description:
          "The models of `GET /models` that your key may use and for which the routing rules and your credentials leave " +
          "at least one provider.",
        tag: "Models",
      }),
    )
    .input(UserModelsQuery)
    .output(ModelList)
    .query(({ ctx: { services, caller }, input }) => {
      const catalogue = catalogueFor(services, caller);
      const only = reachableModels({ router: services.inference.router(caller.orgId), catalogue }, caller);
      const listing = { path: "/models/user", only };
      return publicModels(catalogue, credentialsFor(services, caller), input, listing);
    }),

  embeddings: anyone
    .meta(
      rest("GET", "/embeddings/models", {
        summary: "List embedding models",
        description: "The models of `GET /models` that create embeddings. Needs no key.",
        tag: "Models",
        public: true,
        cacheSeconds: 300,
      }),
    )
    .input(ModelPageQuery)
    .output(ModelList)
    .query(({ ctx: { services, caller }, input }) =>
      publicModels(
        catalogueFor(services, caller),
        credentialsFor(services, caller),
        { ...input, category: "embedding" },
        { path: "/embeddings/models" },
      ),
    ),

  zdr: anyone
    .meta(
      rest("GET", "/endpoints/zdr", {
        summary: "List endpoints with zero data retention",
        description:
          "The endpoints of every model that meet the preference `zdr`: their provider stores nothing of a request, by a " +
          "source that has not expired. Needs no key.",
        tag: "Models",
        public: true,
      }),
    )
    .input(z.object({}))
    .output(ZdrEndpoints)
    .query(({ ctx: { services, caller } }) => {
      const today = isoDay(clock.nowMs());
      const { statistics } = services.inference;
      const isListed = (endpoint: Endpoint) => isZeroRetention(endpoint, today);
      const seen = seenOf(statistics);
      const catalogue = catalogueFor(services, caller);
      return { data: publicEndpointsWhere(catalogue, credentialsFor(services, caller), seen, isListed) };
    }),

  retrieve: anyone
    .meta(
      rest("GET", "/models/{model}", {
        summary: "Get a model by its id",
        description: "Send the id's slash as `%2F`, as OpenAI's clients do.",
        tag: "Models",
        public: true,
        cacheSeconds: 300,
        errors: [404],
      }),
    )
    .input(EncodedName)
    .output(ListedModel)
    .query(({ ctx: { services, caller }, input }) => {
      const catalogue = catalogueFor(services, caller);
      return publicModel(catalogue, modelNamed(catalogue, input.model), credentialsFor(services, caller));
    }),

  get: anyone
    .meta(
      rest("GET", "/models/{author}/{slug}", {
        summary: "Get a model",
        description: "One model as `GET /models` lists it. Needs no key.",
        tag: "Models",
        public: true,
        cacheSeconds: 300,
        errors: [404],
      }),
    )
    .input(Named)
    .output(data(ListedModel))
    .query(({ ctx, input }) => listedModel(ctx, input)),

  getAsOpenRouter: anyone
    .meta(
      rest("GET", "/model/{author}/{slug}", {
        summary: "Get a model by OpenRouter's path",
        description: "The same as `GET /models/{author}/{slug}`. Needs no key.",
        tag: "Models",
        public: true,
        cacheSeconds: 300,
        errors: [404],
      }),
    )
    .input(Named)
    .output(data(ListedModel))
    .query(({ ctx, input }) => listedModel(ctx, input)),

  endpoints: anyone
    .meta(
      rest("GET", "/models/{author}/{slug}/endpoints", {
        summary: "List a model's endpoints",
        description:
          "Which providers serve a model, at what price, and what this process recently measured of each.",
        tag: "Models",
        public: true,
        errors: [404],
      }),
    )
    .input(Named)
    .output(ModelEndpoints)
    .query(({ ctx: { services, caller }, input: { author, slug } }) => {
      const catalogue = catalogueFor(services, caller);
      const model = modelNamed(catalogue, `${author}/${slug}`);
      const seen = seenOf(services.inference.statistics);
      return { data: publicEndpoints(catalogue, model, credentialsFor(services, caller), seen) };
    }),
});
