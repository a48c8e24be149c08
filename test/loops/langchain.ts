import { ChatAnthropic } from "@langchain/anthropic";
import type { BaseLanguageModelInput } from "@langchain/core/language_models/base";
import { type AIMessageChunk, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import type { Runnable } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import {
  City,
  countingTool,
  description,
  type LoopClient,
  question,
  type Site,
  tokensMax,
  toolName,
  turnsMax,
} from "./loop.ts";

type Bound = Runnable<BaseLanguageModelInput, AIMessageChunk>;

async function collected(model: Bound, messages: readonly BaseMessage[]): Promise<AIMessageChunk> {
  const chunks: AIMessageChunk[] = [];
  for await (const chunk of await model.stream([...messages])) chunks.push(chunk);
  return chunks.reduce((message, chunk) => message.concat(chunk));
}

/** LangChain's chat models of OpenAI, over chat and responses, and of Anthropic. */
export function langChainLoops({ origin, key: apiKey }: Site): readonly LoopClient[] {
  const settings = {
    apiKey,
    configuration: { baseURL: `${origin}/api/v1` },
    maxRetries: 0,
    maxTokens: tokensMax,
  } as const;
  // Its own option is sent only to models that have OpenAI's names.
  const overChat = { ...settings, modelKwargs: { reasoning_effort: "high" } };
  const overResponses = {
    ...settings,
    useResponsesApi: true,
    modelKwargs: { reasoning: { effort: "high" } },
  };
  const models = [
    {
      name: "@langchain/openai, chat",
      returnsReasoning: false,
      modelOf: (model: string) => new ChatOpenAI({ ...overChat, model }),
    },
    {
      name: "@langchain/openai, responses",
      returnsReasoning: true,
      modelOf: (model: string) => new ChatOpenAI({ ...overResponses, model }),
    },
    {
      name: "@langchain/openai, responses that are not stored",
      returnsReasoning: true,
      modelOf: (model: string) => new ChatOpenAI({ ...overResponses, model, zdrEnabled: true }),
    },
    {
      name: "@langchain/anthropic, messages",
      returnsReasoning: true,
      modelOf: (model: string) =>
        new ChatAnthropic({
          apiKey,
          anthropicApiUrl: `${origin}/api`,
          model,
          maxRetries: 0,
          maxTokens: tokensMax,
          thinking: { type: "enabled", budget_tokens: 4_000 },
        }),
    },
  ] as const;

  const loop =
    (modelOf: (id: string) => ChatOpenAI | ChatAnthropic): LoopClient["run"] =>
    async (id, isStreamed) => {
      const { calls, execute } = countingTool();
      const weather = tool(execute, { name: toolName, description, schema: City });
      const model: Bound = modelOf(id).bindTools([weather]);
      const messages: BaseMessage[] = [new HumanMessage(question)];
      for (let turn = 0; turn < turnsMax; turn++) {
        const message = isStreamed ? await collected(model, messages) : await model.invoke(messages);
        const called = message.tool_calls ?? [];
        if (called.length === 0) return { text: message.text, calls: calls() };
        messages.push(message);
        for (const call of called) messages.push(await weather.invoke({ ...call, type: "tool_call" }));
      }
      throw new Error("The loop did not end");
    };

  return models.map(({ modelOf, ...about }) => ({ ...about, run: loop(modelOf) }));
}
