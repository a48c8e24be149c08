import { afterAll, vi } from "vitest";
import { startUpstream } from "#test/dialects/server.ts";
import { anthropic } from "#test/providers/anthropic.ts";
import { bedrock } from "#test/providers/bedrock.ts";
import { deepseek } from "#test/providers/deepseek.ts";
import { gemini } from "#test/providers/gemini.ts";
import { mistral } from "#test/providers/mistral.ts";
import type { Mock } from "#test/providers/mock.ts";
import { credential, play } from "#test/providers/serve.ts";
import { vllm } from "#test/providers/vllm.ts";
import { startTestServer } from "./server.ts";

/** Mocks that refuse a tool loop without the reasoning of its calls, or read it, and how often it is in a request. */
const loops: readonly (readonly [mock: Mock, model: string, replayed: RegExp])[] = [
  [anthropic, "claude-sonnet-4-5", /"type":"thinking","thinking":"Step \d+: ça va ☀️\.","signature":"/g],
  [gemini, "gemini-3-pro-preview", /"thoughtSignature":"(?!skip)[^"]+"/g],
  [
    bedrock,
    "eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
    /"reasoningText":\{"text":"Step \d+: ça va ☀️\."/g,
  ],
  [
    mistral,
    "mistral-medium-latest",
    /"type":"thinking","thinking":\[\{"type":"text","text":"Step \d+: ça va ☀️\."/g,
  ],
  [deepseek, "deepseek-reasoner", /"reasoning_content":"Step \d+: ça va ☀️\."/g],
  [vllm, "Qwen/Qwen3-32B", /"reasoning":"Step \d+: ça va ☀️\."/g],
];
export const steps = 10;

export const playing = await Promise.all(
  loops.map(async ([mock, upstreamModel, replayed]) => {
    const upstream = await startUpstream();
    const played = play(mock);
    played.toolCalls = steps;
    upstream.answer = played.answer;
    return { mock, upstreamModel, replayed, upstream, played };
  }),
);
afterAll(async () => {
  for (const { upstream } of playing) await upstream.close();
  // The next file of the process loads this module again, with mocks and a server of its own.
  vi.resetModules();
});

const price = { currency: "EUR", input: "1", output: "1" };
export const server = await startTestServer({
  settings: {
    ALLOW_PRIVATE_HOSTS: "127.0.0.1",
    ...Object.fromEntries(playing.map(({ mock }) => [`LOOP_${mock.name.toUpperCase()}_API_KEY`, credential])),
  },
  overlay: {
    providers: playing.map(({ mock, upstream }) => ({
      slug: `loop-${mock.name}`,
      name: mock.name,
      kind: mock.kind,
      base_url: upstream.origin + mock.basePath,
      apis: ["chat"],
      training: false,
      retention_days: 0,
    })),
    models: playing.map(({ mock }) => ({ id: `loop/${mock.name}`, context_length: 131_072 })),
    endpoints: playing.map(({ mock, upstreamModel }) => ({
      provider: `loop-${mock.name}`,
      model: `loop/${mock.name}`,
      upstream_model: upstreamModel,
      price,
    })),
  },
});

export const definition = {
  name: "weather",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
export const question = { role: "user", content: "Weather on the way to Orléans?" } as const;
