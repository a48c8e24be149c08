import type { GenerationFacts, TracePayload } from "#server/destinations/trace/facts.ts";
import { type Trace, traceOf } from "#server/destinations/trace/trace.ts";
import { uuidv7 } from "#server/platform/ids.ts";

/** The record of a finished chat. */
export const sampleFacts = (overrides: Partial<GenerationFacts> = {}): GenerationFacts => ({
  id: "0190a000-0000-7000-8000-00000000abcd",
  request_id: "0190a000-0000-7000-8000-000000000001",
  org_id: "0190a000-0000-7000-8000-000000000002",
  user_id: "0190a000-0000-7000-8000-000000000003",
  api_key_id: "0190a000-0000-7000-8000-000000000004",
  operation: "chat",
  model_requested: "sandbox/chat",
  model: "sandbox/chat",
  provider: "sandbox-de",
  endpoint: "sandbox-de:sandbox/chat",
  region: "DE",
  status: "completed",
  error_code: null,
  http_status: 200,
  finish_reason: "stop",
  native_finish_reason: "stop",
  streamed: true,
  strategy: "lowest-cost",
  attempts: [
    {
      endpoint: "sandbox-de:sandbox/chat",
      provider: "sandbox-de",
      outcome: "ok",
      status: 200,
      duration_ms: 12,
    },
  ],
  rule_ids: ["rule-1"],
  parameters: { temperature: 0.5, max_tokens: 64 },
  prompt_tokens: 10,
  completion_tokens: 20,
  cached_tokens: 4,
  cache_write_tokens: 0,
  reasoning_tokens: 0,
  search_units: 0,
  usage_estimated: false,
  usage_implausible: false,
  is_byok: false,
  fx_usd_per_eur: "1.1596",
  fx_date: "2026-08-31",
  cost_pico_usd: "1500000000",
  cost_pico_eur: "1293549500",
  upstream_pico_usd: "1500000000",
  user_reference: "ada",
  session_id: "session-1",
  app_title: null,
  started_at: "2026-03-04T05:06:07.089Z",
  latency_ms: 40,
  duration_ms: 250,
  ...overrides,
});

export const samplePayload: TracePayload = {
  labels: {
    keyName: "Support key",
    workspaceId: null,
    metadata: { ticket: "42", nested: { a: { b: { c: 1 } } } },
    traceId: null,
    parentSpanId: null,
    traceName: null,
    spanName: null,
    generationName: null,
  },
  content: {
    input: [
      { role: "system", parts: [{ type: "text", content: "Be brief." }] },
      { role: "user", parts: [{ type: "text", content: "Name a river." }] },
    ],
    output: [
      {
        role: "assistant",
        parts: [
          { type: "text", content: "The Rhine." },
          { type: "tool_call", id: "call-1", name: "map", arguments: '{"at":"Rhine"}' },
        ],
        finish_reason: "stop",
      },
    ],
  },
};

export const sampleTrace = (
  overrides: Partial<GenerationFacts> = {},
  payload: TracePayload = samplePayload,
): Trace => traceOf(uuidv7(), sampleFacts(overrides), payload);
