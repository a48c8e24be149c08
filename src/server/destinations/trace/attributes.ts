import { numberFromPico } from "#server/platform/money.ts";
import { operationName, type Trace } from "./trace.ts";

export type AttributeValue = string | number | boolean | readonly string[];
export type Attributes = Readonly<Record<string, AttributeValue>>;
type Maybe = AttributeValue | null | undefined;

const json = (value: unknown): string => JSON.stringify(value);
const parameter =
  (name: string) =>
  ({ facts }: Trace): Maybe => {
    const value = (facts.parameters as Record<string, unknown> | null)?.[name];
    return typeof value === "number" ? value : undefined;
  };

const ruleIds = ({ facts }: Trace): Maybe => (facts.rule_ids.length > 0 ? [...facts.rule_ids] : undefined);

/**
 * All attributes of a generation's span: the gen_ai conventions of OpenTelemetry are still in development, so old
 * names that tools still read are sent together with their successors.
 */
const table: readonly (readonly [name: string, value: (trace: Trace) => Maybe])[] = [
  ["gen_ai.operation.name", ({ facts }) => operationName(facts)],
  ["gen_ai.provider.name", ({ facts }) => facts.provider],
  ["gen_ai.system", ({ facts }) => facts.provider],
  ["gen_ai.request.model", ({ facts }) => facts.model_requested],
  ["gen_ai.request.stream", ({ facts }) => facts.streamed],
  ["gen_ai.request.max_tokens", parameter("max_tokens")],
  ["gen_ai.request.temperature", parameter("temperature")],
  ["gen_ai.request.top_p", parameter("top_p")],
  ["gen_ai.request.top_k", parameter("top_k")],
  ["gen_ai.request.frequency_penalty", parameter("frequency_penalty")],
  ["gen_ai.request.presence_penalty", parameter("presence_penalty")],
  ["gen_ai.request.seed", parameter("seed")],
  ["gen_ai.request.choice.count", parameter("n")],
  ["gen_ai.response.id", ({ facts }) => facts.id],
  ["gen_ai.response.model", ({ facts }) => facts.model],
  [
    "gen_ai.response.finish_reasons",
    ({ facts }) => (facts.finish_reason ? [facts.finish_reason] : undefined),
  ],
  [
    "gen_ai.response.time_to_first_chunk",
    ({ facts }) => (facts.latency_ms === null ? undefined : facts.latency_ms / 1000),
  ],
  ["gen_ai.usage.input_tokens", ({ facts }) => facts.prompt_tokens],
  ["gen_ai.usage.output_tokens", ({ facts }) => facts.completion_tokens],
  ["gen_ai.usage.prompt_tokens", ({ facts }) => facts.prompt_tokens],
  ["gen_ai.usage.completion_tokens", ({ facts }) => facts.completion_tokens],
  ["gen_ai.usage.total_tokens", ({ facts }) => facts.prompt_tokens + facts.completion_tokens],
  ["gen_ai.usage.cache_read.input_tokens", ({ facts }) => facts.cached_tokens || undefined],
  ["gen_ai.usage.cache_creation.input_tokens", ({ facts }) => facts.cache_write_tokens || undefined],
  ["gen_ai.usage.reasoning.output_tokens", ({ facts }) => facts.reasoning_tokens || undefined],
  ["gen_ai.usage.cost", ({ costUsd }) => costUsd],
  ["gen_ai.usage.cost_eur", ({ costEur }) => costEur],
  ["gen_ai.conversation.id", ({ facts }) => facts.session_id],
  ["session.id", ({ facts }) => facts.session_id],
  ["user.id", ({ facts }) => facts.user_reference?.slice(0, 128)],
  ["error.type", ({ ok, facts }) => (ok ? undefined : (facts.error_code ?? facts.status))],
  ["http.response.status_code", ({ facts }) => facts.http_status],
  ["gateway.request.id", ({ facts }) => facts.request_id],
  ["gateway.organisation.id", ({ facts }) => facts.org_id],
  ["gateway.workspace.id", ({ labels }) => labels.workspaceId],
  ["gateway.api_key.id", ({ facts }) => facts.api_key_id],
  ["gateway.api_key.name", ({ labels }) => labels.keyName],
  ["gateway.app", ({ facts }) => facts.app_title],
  ["gateway.provider.region", ({ facts }) => facts.region],
  ["gateway.endpoint", ({ facts }) => facts.endpoint],
  ["gateway.strategy", ({ facts }) => facts.strategy],
  ["gateway.rule.ids", ruleIds],
  ["gateway.fallback_count", ({ facts }) => Math.max(0, facts.attempts.length - 1)],
  ["gateway.attempts", ({ facts }) => json(facts.attempts)],
  ["gateway.is_byok", ({ facts }) => facts.is_byok],
  ["gateway.usage_estimated", ({ facts }) => facts.usage_estimated],
  ["gateway.usage_implausible", ({ facts }) => facts.usage_implausible],
  ["gateway.search_units", ({ facts }) => facts.search_units || undefined],
  ["gateway.upstream_cost_usd", ({ facts }) => numberFromPico(BigInt(facts.upstream_pico_usd))],
  ["gateway.fx.usd_per_eur", ({ facts }) => Number(facts.fx_usd_per_eur)],
  ["gateway.fx.date", ({ facts }) => facts.fx_date],
  ["gateway.native_finish_reason", ({ facts }) => facts.native_finish_reason],
  ["gen_ai.system_instructions", ({ content }) => system(content?.input)],
  ["gen_ai.input.messages", ({ content }) => content && json(content.input)],
  ["gen_ai.output.messages", ({ content }) => content && json(content.output)],
  ["gen_ai.tool.definitions", ({ content }) => (content?.tools ? json(content.tools) : undefined)],
];

function system(input: NonNullable<Trace["content"]>["input"] | undefined): Maybe {
  const parts = (input ?? []).filter(({ role }) => role === "system").flatMap((message) => message.parts);
  return parts.length > 0 ? json(parts) : undefined;
}

const scalar = (value: unknown): AttributeValue =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : json(value);

/** Custom metadata under a prefix, as scalars; nested values as JSON text. */
export const metadataAttributes = (trace: Trace, prefix: string): Attributes =>
  Object.fromEntries(
    Object.entries(trace.metadata)
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => [`${prefix}${name}`, scalar(value)]),
  );

/** Removes attributes without a value. */
export function present(values: Readonly<Record<string, Maybe>>): Attributes {
  const out: Record<string, AttributeValue> = {};
  for (const [name, value] of Object.entries(values))
    if (value !== null && value !== undefined && value !== "") out[name] = value;
  return out;
}

export const attributesOf = (trace: Trace): Attributes => ({
  ...present(Object.fromEntries(table.map(([name, value]) => [name, value(trace)]))),
  ...metadataAttributes(trace, "trace.metadata."),
});
