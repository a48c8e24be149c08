import type { MessageScenario, Params } from "./scenario.ts";

const schema = { type: "object", properties: { a: { type: "string" } }, additionalProperties: false };

/** How settings reach a provider that only chats. */
export const settingScenarios: readonly MessageScenario[] = [
  {
    name: "sampling and stop sequences",
    // Newer models of Anthropic's take no sampling, and its client does not declare it any more.
    request: { temperature: 0.5, top_p: 0.9, top_k: 5, stop_sequences: ["END"] } as Partial<Params>,
    sent: { temperature: 0.5, top_p: 0.9, top_k: 5, stop: ["END"] },
  },
  {
    name: "thinking with a small budget is low effort",
    request: { thinking: { type: "enabled", budget_tokens: 1_024 } },
    sent: { reasoning_effort: "low" },
  },
  {
    name: "thinking with a medium budget is medium effort",
    request: { thinking: { type: "enabled", budget_tokens: 8_000 } },
    sent: { reasoning_effort: "medium" },
  },
  {
    name: "thinking with a large budget is high effort",
    request: { thinking: { type: "enabled", budget_tokens: 30_000 } },
    sent: { reasoning_effort: "high" },
  },
  {
    name: "no thinking is no effort",
    request: { thinking: { type: "disabled" } },
    sent: { reasoning_effort: "none" },
  },
  {
    name: "adaptive thinking leaves the effort to the model",
    request: { thinking: { type: "adaptive" } },
    unsent: ["reasoning_effort"],
  },
  {
    name: "the effort of output_config",
    request: { thinking: { type: "adaptive" }, output_config: { effort: "max" } },
    sent: { reasoning_effort: "max" },
  },
  {
    name: "the format of output_config",
    request: { output_config: { format: { type: "json_schema", schema } } },
    sent: {
      response_format: { type: "json_schema", json_schema: { name: "answer", schema, strict: true } },
    },
  },
  {
    name: "the user",
    request: { metadata: { user_id: "user-7" } },
    sent: { user: "user-7" },
    unsent: ["metadata"],
  },
  {
    name: "the service tier that other providers have without one",
    request: { service_tier: "standard_only" },
    unsent: ["service_tier"],
  },
  {
    name: "nothing of Anthropic's own is sent to chat",
    request: { cache_control: { type: "ephemeral" }, inference_geo: "global", speed: "standard" },
    unsent: ["cache_control", "inference_geo", "speed", "system"],
  },
];
