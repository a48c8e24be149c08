import type { JSONObject, JSONValue, SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { ChatRequest } from "#contract/chat.ts";
import { tableOf } from "#server/platform/table.ts";
import type { SdkModel } from "../reasoning/sdk-options.ts";
import { isJson } from "../wires/shared/json.ts";

const setOf = (options: Record<string, JSONValue | null | undefined>): JSONObject =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value != null));

/** Whether the answer must match its schema exactly; undefined without a schema. */
function isStrict({ response_format: format }: ChatRequest): boolean | undefined {
  if (format?.type !== "json_schema") return undefined;
  return isJson(format.json_schema) && format.json_schema.strict === true;
}

const parallelCalls = ({ tools, parallel_tool_calls: parallel }: ChatRequest): boolean | undefined =>
  tools?.length ? (parallel ?? undefined) : undefined;

/** Bedrock's package reads those of Claude under the same name as Anthropic's. */
function claudeOptions(body: ChatRequest): SharedV4ProviderOptions {
  const parallel = parallelCalls(body);
  return parallel === undefined ? {} : { anthropic: { disableParallelToolUse: !parallel } };
}

/** Parameters that each package takes only under a name of its own, by kind. */
const ownOptions = tableOf<(body: ChatRequest, model: SdkModel) => SharedV4ProviderOptions>({
  azure: (body, { reasonsAsOpenAi }) => ({
    openai: setOf({
      logitBias: body.logit_bias,
      logprobs: body.logprobs ? (body.top_logprobs ?? true) : undefined,
      parallelToolCalls: parallelCalls(body),
      user: body.user,
      textVerbosity: body.verbosity,
      serviceTier: body.service_tier,
      promptCacheKey: body.prompt_cache_key,
      safetyIdentifier: body.safety_identifier,
      strictJsonSchema: isStrict(body),
      forceReasoning: reasonsAsOpenAi || undefined,
    }),
  }),
  mistral: (body) => ({
    mistral: setOf({
      parallelToolCalls: parallelCalls(body),
      strictJsonSchema: isStrict(body),
      promptCacheKey: body.prompt_cache_key,
    }),
  }),
  anthropic: claudeOptions,
  bedrock: claudeOptions,
});

/** Whether the package of a model takes parameters under names of its own, parallel calls of tools among them. */
export const hasOwnOptions = ({ kind }: SdkModel): boolean => ownOptions[kind] !== undefined;

/** A request's parameters under the names of the model's package, with further options of that package. */
export function packageOptions(
  body: ChatRequest,
  model: SdkModel,
  more: SharedV4ProviderOptions = {},
): SharedV4ProviderOptions {
  const options = { ...more };
  for (const [name, own] of Object.entries(ownOptions[model.kind]?.(body, model) ?? {}))
    if (Object.keys(own).length > 0) options[name] = { ...own, ...more[name] };
  return options;
}
