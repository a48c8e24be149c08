import { anthropic } from "./anthropic.ts";
import { azure } from "./azure.ts";
import { bedrock } from "./bedrock.ts";
import { cerebras } from "./cerebras.ts";
import { cohere } from "./cohere.ts";
import { deepseek } from "./deepseek.ts";
import { fireworks } from "./fireworks.ts";
import { gemini } from "./gemini.ts";
import { groq } from "./groq.ts";
import { jina } from "./jina.ts";
import { mistral } from "./mistral.ts";
import type { Mock } from "./mock.ts";
import { ollama } from "./ollama.ts";
import { openai } from "./openai.ts";
import { vllm } from "./vllm.ts";
import { voyage } from "./voyage.ts";

/** Every provider whose rules are known here. */
export const mocks: readonly Mock[] = [
  openai,
  azure,
  anthropic,
  gemini,
  bedrock,
  mistral,
  groq,
  cerebras,
  fireworks,
  deepseek,
  vllm,
  ollama,
  cohere,
  voyage,
  jina,
];
