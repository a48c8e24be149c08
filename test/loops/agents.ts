import { Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, Runner, tool } from "@openai/agents";
import OpenAI from "openai";
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

/** The Agents SDK of OpenAI, over chat and responses. */
export function agentLoops({ origin, key: apiKey }: Site): readonly LoopClient[] {
  const client = new OpenAI({ baseURL: `${origin}/api/v1`, apiKey, maxRetries: 0 });
  // Traces would go to OpenAI.
  const runner = new Runner({ tracingDisabled: true });
  const encrypted = { store: false, providerData: { include: ["reasoning.encrypted_content"] } };
  const models = [
    {
      name: "@openai/agents, chat",
      returnsReasoning: false,
      modelOf: (id: string) => new OpenAIChatCompletionsModel(client, id),
      settings: {},
    },
    {
      name: "@openai/agents, responses",
      returnsReasoning: true,
      modelOf: (id: string) => new OpenAIResponsesModel(client, id),
      settings: {},
    },
    {
      name: "@openai/agents, responses that are not stored",
      returnsReasoning: true,
      modelOf: (id: string) => new OpenAIResponsesModel(client, id),
      settings: encrypted,
    },
  ] as const;

  const loop =
    ({ modelOf, settings }: (typeof models)[number]): LoopClient["run"] =>
    async (id, stream) => {
      const { calls, execute } = countingTool();
      const agent = new Agent({
        name: "Traveller",
        model: modelOf(id),
        modelSettings: { ...settings, maxTokens: tokensMax, reasoning: { effort: "high" } },
        tools: [tool({ name: toolName, description, parameters: City, execute })],
      });
      if (!stream) {
        const { finalOutput } = await runner.run(agent, question, { maxTurns: turnsMax });
        return { text: finalOutput ?? "", calls: calls() };
      }
      const result = await runner.run(agent, question, { maxTurns: turnsMax, stream });
      await result.completed;
      return { text: result.finalOutput ?? "", calls: calls() };
    };

  return models.map((one) => ({
    name: one.name,
    returnsReasoning: one.returnsReasoning,
    run: loop(one),
  }));
}
