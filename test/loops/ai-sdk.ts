import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { createOpenRouter } from "@openrouter/ai-sdk-provider";
import { generateText, type LanguageModel, stepCountIs, streamText, tool } from "ai";
import {
  City,
  countingTool,
  description,
  type LoopClient,
  question,
  type Site,
  tokensMax,
  turnsMax,
} from "./loop.ts";

type Options = NonNullable<Parameters<typeof generateText>[0]["providerOptions"]>;

interface Model {
  readonly modelOf: (id: string) => LanguageModel;
  readonly options: Options;
}
type Package = Model & Omit<LoopClient, "run">;

async function complete({ modelOf, options }: Model, id: string) {
  const { calls, execute } = countingTool();
  const { text } = await generateText({
    model: modelOf(id),
    prompt: question,
    tools: { weather: tool({ description, inputSchema: City, execute }) },
    stopWhen: stepCountIs(turnsMax),
    maxOutputTokens: tokensMax,
    maxRetries: 0,
    providerOptions: options,
  });
  return { text, calls: calls() };
}

async function streamed({ modelOf, options }: Model, id: string) {
  const { calls, execute } = countingTool();
  const errors: unknown[] = [];
  const result = streamText({
    model: modelOf(id),
    prompt: question,
    tools: { weather: tool({ description, inputSchema: City, execute }) },
    stopWhen: stepCountIs(turnsMax),
    maxOutputTokens: tokensMax,
    maxRetries: 0,
    providerOptions: options,
    onError: ({ error }) => void errors.push(error),
  });
  await result.consumeStream();
  if (errors.length > 0) throw errors[0];
  return { text: await result.text, calls: calls() };
}

/** The AI SDK with the packages of providers whose base URL can be Portolan's. */
export function aiSdkLoops({ origin, key: apiKey }: Site): readonly LoopClient[] {
  const baseURL = `${origin}/api/v1`;
  const openai = createOpenAI({ baseURL, apiKey });
  const compatible = createOpenAICompatible({ name: "portolan", baseURL, apiKey });
  const openrouter = createOpenRouter({ baseURL, apiKey });
  const anthropic = createAnthropic({ baseURL, apiKey });
  // The package knows reasoning models by OpenAI's names only.
  const reasoning = { forceReasoning: true, reasoningEffort: "high" };
  const packages: readonly Package[] = [
    {
      name: "@ai-sdk/openai, chat",
      returnsReasoning: false,
      modelOf: (id) => openai.chat(id),
      options: { openai: reasoning },
    },
    {
      name: "@ai-sdk/openai, responses",
      returnsReasoning: true,
      modelOf: (id) => openai.responses(id),
      options: { openai: reasoning },
    },
    {
      name: "@ai-sdk/openai, responses that are not stored",
      returnsReasoning: true,
      modelOf: (id) => openai.responses(id),
      options: { openai: { ...reasoning, store: false, include: ["reasoning.encrypted_content"] } },
    },
    {
      name: "@ai-sdk/openai-compatible, chat",
      returnsReasoning: false,
      modelOf: (id) => compatible.chatModel(id),
      options: { portolan: { reasoningEffort: "high" } },
    },
    {
      name: "@openrouter/ai-sdk-provider, chat",
      returnsReasoning: true,
      modelOf: (id) => openrouter.chat(id),
      options: { openrouter: { reasoning: { effort: "high" } } },
    },
    {
      name: "@ai-sdk/anthropic, messages",
      returnsReasoning: true,
      modelOf: (id) => anthropic(id),
      options: { anthropic: { thinking: { type: "enabled", budgetTokens: 4_000 } } },
    },
  ];
  return packages.map(({ name, returnsReasoning, ...model }) => ({
    name,
    returnsReasoning,
    run: (id, isStreamed) => (isStreamed ? streamed(model, id) : complete(model, id)),
  }));
}
