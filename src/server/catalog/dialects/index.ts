import type { ProviderEntry } from "#contract/catalogue.ts";
import { tableOf } from "#server/platform/table.ts";
import type { Dialect } from "./dialect.ts";
import { cerebras, fireworks, groq, together } from "./hosts.ts";
import { ionos, llamacpp, ollama, openaiCompatible, openModelHost, scaleway, vllm } from "./open-models.ts";
import { azure, openai } from "./openai.ts";
import { anthropic, bedrock, cohere, deepseek, google, mistral } from "./vendors.ts";

/** Every dialect, by its name in catalogues. */
export const dialects: Readonly<Record<string, Dialect>> = tableOf(
  Object.fromEntries(
    [
      openaiCompatible,
      openai,
      azure,
      anthropic,
      google,
      bedrock,
      mistral,
      groq,
      cerebras,
      fireworks,
      together,
      deepseek,
      cohere,
      scaleway,
      ionos,
      openModelHost,
      vllm,
      ollama,
      llamacpp,
    ].map((dialect) => [dialect.name, dialect]),
  ),
);

/** The dialect of a provider: its own, else that of its kind. */
export const dialectOf = ({ dialect, kind }: Pick<ProviderEntry, "dialect" | "kind">): Dialect =>
  (dialect === undefined ? dialects[kind] : dialects[dialect]) ?? openaiCompatible;
