import { AnthropicModel, AnthropicModelList, AnthropicModelListQuery } from "#contract/anthropic-models.ts";
import { anthropicModel, anthropicModels, publicModel, publicModels } from "#server/catalog/index.ts";
import { catalogueFor, credentialsFor } from "../catalogue-for.ts";
import { anyone, rest, router } from "../trpc.ts";
import { EncodedName, modelNamed } from "./models.ts";

/** The models in the shape of Anthropic's API. Its clients get them at `/models`: see `http/anthropic-clients.ts`. */
export const anthropicModelsRouter = router({
  list: anyone
    .meta(
      rest("GET", "/anthropic/models", {
        summary: "List models for Anthropic's clients",
        description:
          "The usable models that serve `/messages`, in pages, in the shape of Anthropic's API. `GET /models` answers in " +
          "the same way to requests with the header `anthropic-version`, as Anthropic's clients send them. Needs no key.",
        tag: "Models",
        public: true,
        cacheSeconds: 300,
      }),
    )
    .input(AnthropicModelListQuery)
    .output(AnthropicModelList)
    .query(({ ctx: { services, caller }, input }) => {
      const { data } = publicModels(catalogueFor(services, caller), credentialsFor(services, caller), {});
      return anthropicModels(data, input);
    }),

  retrieve: anyone
    .meta(
      rest("GET", "/anthropic/models/{model}", {
        summary: "Get a model for Anthropic's clients",
        description:
          "One model in the shape of Anthropic's API. `GET /models/{model}` answers in the same way to requests with the " +
          "header `anthropic-version`. Send the id's slash as `%2F`. Needs no key.",
        tag: "Models",
        public: true,
        cacheSeconds: 300,
        errors: [404],
      }),
    )
    .input(EncodedName)
    .output(AnthropicModel)
    .query(({ ctx: { services, caller }, input }) => {
      const catalogue = catalogueFor(services, caller);
      const model = modelNamed(catalogue, input.model);
      return anthropicModel(publicModel(catalogue, model, credentialsFor(services, caller)));
    }),
});
