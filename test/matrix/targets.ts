// Providers with a model of each family that has rules of its own.
import { readFileSync } from "node:fs";
import { CatalogueFile } from "#contract/catalogue.ts";
import type { Api } from "#contract/inference-operations.ts";
import { dialects, type Endpoint, endpointRules } from "#server/catalog/index.ts";
import { endpoint, model, provider } from "#test/catalogues.ts";
import { mocks } from "#test/providers/index.ts";
import type { Mock } from "#test/providers/mock.ts";

const catalogue = new URL("../../prisma/seed/catalogue.json", import.meta.url);
export const shipped = CatalogueFile.parse(JSON.parse(readFileSync(catalogue, "utf8"))).providers;

export interface Target {
  readonly title: string;
  /** The shipped provider that it is; null if it is not shipped. */
  readonly slug: string | null;
  /** The name of its dialect. */
  readonly dialect: string;
  readonly mock: Mock;
  readonly apis: readonly Api[];
  /** The endpoint at this origin. */
  readonly at: (origin: string) => Endpoint;
}

interface Declared {
  readonly title: string;
  readonly mock: string;
  /** In the shipped catalogue; null if it is not in there. */
  readonly slug: string | null;
  readonly dialect: string;
  /** In the catalogue, and at the provider. */
  readonly names: readonly [model: string, upstream: string];
  readonly apis: readonly Api[];
  /** What messages may hold; everything if it is left out. */
  readonly takes?: readonly string[];
}

const media: readonly string[] = ["text", "image", "audio", "file", "video"];
const chatting: readonly Api[] = ["chat"];
const declared: readonly Declared[] = [
  {
    title: "OpenAI GPT-4.1",
    mock: "openai",
    slug: "openai",
    dialect: "openai",
    names: ["gpt-4.1", "gpt-4.1"],
    apis: ["chat", "responses", "embeddings"],
  },
  {
    title: "OpenAI GPT-5",
    mock: "openai",
    slug: "openai",
    dialect: "openai",
    names: ["gpt-5", "gpt-5"],
    apis: ["chat", "responses"],
  },
  {
    title: "OpenAI GPT-5.4",
    mock: "openai",
    slug: "openai",
    dialect: "openai",
    names: ["gpt-5.4", "gpt-5.4"],
    apis: ["chat", "responses"],
  },
  {
    title: "OpenAI GPT-5 Pro (no chat)",
    mock: "openai",
    slug: "openai",
    dialect: "openai",
    names: ["gpt-5-pro", "gpt-5-pro"],
    apis: ["responses"],
    takes: ["text", "image", "file"],
  },
  {
    title: "OpenAI GPT-3.5 Instruct (text only)",
    mock: "openai",
    slug: "openai",
    dialect: "openai",
    names: ["gpt-3.5-turbo-instruct", "gpt-3.5-turbo-instruct"],
    apis: ["completions"],
    takes: ["text"],
  },
  {
    title: "Azure GPT-4.1",
    mock: "azure",
    slug: "azure-foundry",
    dialect: "azure",
    names: ["gpt-4.1", "prod-chat"],
    apis: ["chat", "responses", "embeddings"],
  },
  {
    title: "Azure GPT-5",
    mock: "azure",
    slug: "azure-foundry",
    dialect: "azure",
    names: ["gpt-5", "prod-reasoning"],
    apis: ["chat", "responses"],
  },
  {
    title: "Azure GPT-5.4",
    mock: "azure",
    slug: "azure-foundry",
    dialect: "azure",
    names: ["gpt-5.4", "prod-tools"],
    apis: ["chat", "responses"],
  },
  {
    title: "Claude Sonnet 4.5",
    mock: "anthropic",
    slug: "anthropic",
    dialect: "anthropic",
    names: ["claude-sonnet-4.5", "claude-sonnet-4-5"],
    apis: ["chat", "messages"],
  },
  {
    title: "Claude Opus 4.7",
    mock: "anthropic",
    slug: "anthropic",
    dialect: "anthropic",
    names: ["claude-opus-4.7", "claude-opus-4-7"],
    apis: ["chat", "messages"],
  },
  {
    title: "Gemini 2.5 Flash",
    mock: "gemini",
    slug: "google-gemini",
    dialect: "google",
    names: ["gemini-2.5-flash", "gemini-2.5-flash"],
    apis: ["chat", "embeddings"],
  },
  {
    title: "Gemini 3 Pro",
    mock: "gemini",
    slug: "google-gemini",
    dialect: "google",
    names: ["gemini-3-pro", "gemini-3-pro-preview"],
    apis: chatting,
  },
  {
    title: "Bedrock Claude Sonnet 4.5",
    mock: "bedrock",
    slug: "aws-bedrock",
    dialect: "bedrock",
    names: ["claude-sonnet-4.5", "eu.anthropic.claude-sonnet-4-5-20250929-v1:0"],
    apis: chatting,
  },
  {
    title: "Mistral Medium",
    mock: "mistral",
    slug: "mistral",
    dialect: "mistral",
    names: ["mistral-medium", "mistral-medium-latest"],
    apis: ["chat", "embeddings"],
  },
  {
    title: "Groq Llama 3.3",
    mock: "groq",
    slug: "groq",
    dialect: "groq",
    names: ["llama-3.3-70b-instruct", "llama-3.3-70b-versatile"],
    apis: chatting,
    takes: ["text"],
  },
  {
    title: "Groq GPT-OSS",
    mock: "groq",
    slug: "groq",
    dialect: "groq",
    names: ["gpt-oss-120b", "openai/gpt-oss-120b"],
    apis: chatting,
    takes: ["text"],
  },
  {
    title: "Cerebras GPT-OSS",
    mock: "cerebras",
    slug: "cerebras",
    dialect: "cerebras",
    names: ["gpt-oss-120b", "gpt-oss-120b"],
    apis: chatting,
    takes: ["text"],
  },
  {
    title: "Fireworks GPT-OSS",
    mock: "fireworks",
    slug: "fireworks",
    dialect: "fireworks",
    names: ["gpt-oss-120b", "accounts/fireworks/models/gpt-oss-120b"],
    apis: ["chat", "completions", "responses", "embeddings"],
    takes: ["text"],
  },
  {
    title: "Fireworks GLM 5",
    mock: "fireworks",
    slug: "fireworks",
    dialect: "fireworks",
    names: ["glm-5.2", "accounts/fireworks/models/glm-5p2"],
    apis: ["chat", "responses"],
    takes: ["text", "image"],
  },
  {
    title: "DeepSeek",
    mock: "deepseek",
    slug: null,
    dialect: "deepseek",
    names: ["deepseek-v3.2", "deepseek-reasoner"],
    apis: chatting,
    takes: ["text"],
  },
  {
    title: "vLLM Qwen 3",
    mock: "vllm",
    slug: "vllm",
    dialect: "vllm",
    names: ["qwen3-32b", "Qwen/Qwen3-32B"],
    apis: ["chat", "completions", "embeddings", "rerank", "responses"],
  },
  {
    title: "Ollama Qwen 3",
    mock: "ollama",
    slug: "ollama",
    dialect: "ollama",
    names: ["qwen3-8b", "qwen3:8b"],
    apis: ["chat", "completions", "embeddings", "responses"],
    takes: ["text", "image"],
  },
  {
    title: "Cohere",
    mock: "cohere",
    slug: "cohere",
    dialect: "cohere",
    names: ["command-a", "command-a-03-2025"],
    apis: ["chat", "embeddings", "rerank"],
  },
  {
    title: "Voyage",
    mock: "voyage",
    slug: "voyage",
    dialect: "openai-compatible",
    names: ["voyage-3.5", "voyage-3.5"],
    apis: ["embeddings", "rerank"],
  },
  {
    title: "Jina",
    mock: "jina",
    slug: "jina",
    dialect: "openai-compatible",
    names: ["jina-embeddings-v3", "jina-embeddings-v3"],
    apis: ["embeddings", "rerank"],
  },
];

function targetOf({ title, mock: name, slug, dialect: named, names, apis, takes = media }: Declared): Target {
  const mock = mocks.find((one) => one.name === name);
  const dialect = dialects[named];
  if (!mock || !dialect) throw new Error(`${title} has no mock or no dialect`);
  const entry = shipped.find((one) => one.slug === slug);
  if (slug !== null && entry?.kind !== mock.kind) throw new Error(`${slug} is not shipped with this kind`);
  const [modelName, upstreamModel] = names;
  return {
    title,
    slug,
    dialect: named,
    mock,
    apis,
    at: (origin) =>
      endpoint(
        provider("theirs", {
          kind: mock.kind,
          baseUrl: origin + mock.basePath,
          ...(entry && {
            tokenLimitField: entry.token_limit_field,
            tokenLimitRequired: entry.token_limit_required,
            messageFields: entry.message_fields && new Set(entry.message_fields),
          }),
        }),
        model(`lab/${modelName}`, {
          supportedParameters: [],
          inputModalities: takes,
          outputModalities: ["text", "audio"],
        }),
        {
          upstreamModel,
          apis: new Set(apis),
          rules: endpointRules(dialect, [modelName, upstreamModel], { endpoint: null, model: null }),
        },
      ),
  };
}

export const targets: readonly Target[] = declared.map(targetOf);
