import type {
  AnthropicModel,
  AnthropicModelList,
  AnthropicModelListQuery,
} from "#contract/anthropic-models.ts";
import type { ListedModel } from "#contract/models.ts";
import { isoTime } from "#server/platform/clock.ts";
import { AppError } from "#server/platform/errors.ts";

const messagesPath = "/api/v1/messages";

/** A model of the public list in the shape of Anthropic's API. */
export const anthropicModel = (model: ListedModel): AnthropicModel => ({
  type: "model",
  id: model.id,
  display_name: model.name,
  created_at: isoTime(model.created * 1_000).replace(".000", ""),
  max_input_tokens: model.context_length,
  max_tokens: model.top_provider.max_completion_tokens,
  lifecycle: "active",
  deprecated_at: null,
  retires_at: null,
  line: null,
  capabilities: null,
});

/** Whether requests for messages can name this model. */
export const servesMessages = ({ supported_api_endpoints: paths }: ListedModel): boolean =>
  paths.includes(messagesPath);

function placeOf(models: readonly ListedModel[], name: "after_id" | "before_id", id: string): number {
  const place = models.findIndex((model) => model.id === id);
  if (place === -1)
    throw new AppError("BAD_REQUEST", `${name}: is not the ID of a listed model`, { param: name });
  return place;
}

/** One page of the usable models that serve messages. Throws BAD_REQUEST for a cursor that is no model of the list. */
export function anthropicModels(
  listed: readonly ListedModel[],
  { limit, after_id: after, before_id: before, lifecycle }: AnthropicModelListQuery,
): AnthropicModelList {
  if (after !== undefined && before !== undefined)
    throw new AppError("BAD_REQUEST", "before_id: cannot be used together with after_id", {
      param: "before_id",
    });
  const isWanted = !lifecycle?.length || lifecycle.includes("active");
  const models = isWanted ? listed.filter((model) => model.available && servesMessages(model)) : [];
  const begin = after === undefined ? 0 : placeOf(models, "after_id", after) + 1;
  const end = before === undefined ? models.length : placeOf(models, "before_id", before);
  const page =
    before === undefined ? models.slice(begin, begin + limit) : models.slice(Math.max(0, end - limit), end);
  return {
    data: page.map(anthropicModel),
    has_more: before === undefined ? begin + limit < models.length : end > limit,
    first_id: page.at(0)?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
  };
}
