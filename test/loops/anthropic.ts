import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import {
  countingTool,
  description,
  type LoopClient,
  parameters,
  question,
  type Site,
  tokensMax,
  toolName,
  turnsMax,
} from "./loop.ts";

/** `@anthropic-ai/sdk` with its runner of tools. */
export function anthropicLoops({ origin, key }: Site): readonly LoopClient[] {
  const client = new Anthropic({ baseURL: `${origin}/api`, apiKey: key, maxRetries: 0 });

  const run: LoopClient["run"] = async (model, stream) => {
    const { calls, execute } = countingTool();
    const runner = client.beta.messages.toolRunner({
      model,
      max_tokens: tokensMax,
      max_iterations: turnsMax,
      thinking: { type: "enabled", budget_tokens: 4_000 },
      messages: [{ role: "user", content: question }],
      tools: [betaTool({ name: toolName, description, inputSchema: parameters, run: execute })],
      stream,
    });
    const { content } = await runner.runUntilDone();
    const text = content.map((block) => (block.type === "text" ? block.text : "")).join("");
    return { text, calls: calls() };
  };

  return [{ name: "@anthropic-ai/sdk, messages", returnsReasoning: true, run }];
}
