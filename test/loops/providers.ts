// Every mock provider that can reason and calls tools, as providers of a server.
import { readFileSync } from "node:fs";
import { afterAll } from "vitest";
import { CatalogueFile } from "#contract/catalogue.ts";
import { startUpstream } from "#test/dialects/server.ts";
import { mocks } from "#test/providers/index.ts";
import { credential, type Play, play } from "#test/providers/serve.ts";

interface Declared {
  /** What follows `loop/` in the id of the model. */
  readonly name: string;
  readonly mock: string;
  /** In the shipped catalogue; null if it is not in there. */
  readonly slug: string | null;
  readonly dialect: string;
  readonly upstreamModel: string;
  /** The APIs of the endpoint, by default chat. */
  readonly apis?: readonly string[];
  /** Its reasoning is signed and read again, by a Claude model. */
  readonly isClaude?: true;
}

const declared: readonly Declared[] = [
  { name: "gpt-5", mock: "openai", slug: "openai", dialect: "openai", upstreamModel: "gpt-5" },
  {
    name: "gpt-5-responses",
    mock: "openai",
    slug: "openai",
    dialect: "openai",
    upstreamModel: "gpt-5",
    apis: ["chat", "responses"],
  },
  {
    name: "gpt-5.4",
    mock: "openai",
    slug: "openai",
    dialect: "openai",
    upstreamModel: "gpt-5.4",
    apis: ["chat", "responses"],
  },
  {
    name: "gpt-5-azure",
    mock: "azure",
    slug: "azure-foundry",
    dialect: "azure",
    upstreamModel: "prod-reasoning",
  },
  {
    name: "claude-sonnet-4.5",
    mock: "anthropic",
    slug: "anthropic",
    dialect: "anthropic",
    upstreamModel: "claude-sonnet-4-5",
    isClaude: true,
  },
  {
    name: "claude-opus-4.7",
    mock: "anthropic",
    slug: "anthropic",
    dialect: "anthropic",
    upstreamModel: "claude-opus-4-7",
    isClaude: true,
    apis: ["chat", "messages"],
  },
  {
    name: "gemini-2.5",
    mock: "gemini",
    slug: "google-gemini",
    dialect: "google",
    upstreamModel: "gemini-2.5-flash",
  },
  {
    name: "gemini-3",
    mock: "gemini",
    slug: "google-gemini",
    dialect: "google",
    upstreamModel: "gemini-3-pro-preview",
  },
  {
    name: "bedrock",
    mock: "bedrock",
    slug: "aws-bedrock",
    dialect: "bedrock",
    upstreamModel: "eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
    isClaude: true,
  },
  {
    name: "mistral",
    mock: "mistral",
    slug: "mistral",
    dialect: "mistral",
    upstreamModel: "mistral-medium-latest",
  },
  { name: "groq", mock: "groq", slug: "groq", dialect: "groq", upstreamModel: "openai/gpt-oss-120b" },
  { name: "deepseek", mock: "deepseek", slug: null, dialect: "deepseek", upstreamModel: "deepseek-reasoner" },
  { name: "vllm", mock: "vllm", slug: "vllm", dialect: "vllm", upstreamModel: "Qwen/Qwen3-32B" },
  { name: "ollama", mock: "ollama", slug: "ollama", dialect: "ollama", upstreamModel: "qwen3:8b" },
];

const file = new URL("../../prisma/seed/catalogue.json", import.meta.url);
const shipped = CatalogueFile.parse(JSON.parse(readFileSync(file, "utf8"))).providers;

export interface LoopProvider extends Declared {
  readonly played: Play;
  readonly origin: string;
  readonly basePath: string;
  readonly kind: string;
}

/** Starts each of them on loopback until the last test; a conversation gets `steps` calls of its tool. */
export function startLoopProviders(steps: number): Promise<readonly LoopProvider[]> {
  return Promise.all(
    declared.map(async (one) => {
      const mock = mocks.find(({ name }) => name === one.mock);
      if (!mock) throw new Error(`There is no mock ${one.mock}`);
      const upstream = await startUpstream();
      afterAll(() => upstream.close());
      const played = play(mock);
      played.toolCalls = steps;
      // Tiny pieces are another test's subject, and take most of the time here.
      played.pieceBytes = 512;
      upstream.answer = played.answer;
      return { ...one, played, origin: upstream.origin, basePath: mock.basePath, kind: mock.kind };
    }),
  );
}

const slugOf = ({ name }: Declared) => `loop-${name.replaceAll(".", "-")}`;

/** Settings and catalogue of a server that has these providers. */
export const loopOptions = (providers: readonly LoopProvider[]) => ({
  settings: {
    ALLOW_PRIVATE_HOSTS: "127.0.0.1",
    ...Object.fromEntries(
      providers.map((one) => [`${slugOf(one).replaceAll("-", "_").toUpperCase()}_API_KEY`, credential]),
    ),
  },
  overlay: {
    providers: providers.map((one) => {
      const entry = shipped.find(({ slug }) => slug === one.slug);
      return {
        slug: slugOf(one),
        name: one.name,
        kind: one.kind,
        dialect: one.dialect,
        base_url: one.origin + one.basePath,
        apis: one.apis ?? ["chat"],
        ...(entry && {
          token_limit_field: entry.token_limit_field,
          token_limit_required: entry.token_limit_required,
          message_fields: entry.message_fields,
        }),
        training: false,
        retention_days: 0,
      };
    }),
    models: providers.map(({ name }) => ({ id: `loop/${name}`, context_length: 131_072 })),
    endpoints: providers.map((one) => ({
      provider: slugOf(one),
      model: `loop/${one.name}`,
      upstream_model: one.upstreamModel,
      price: { currency: "EUR", input: "1", output: "1" },
    })),
  },
});
