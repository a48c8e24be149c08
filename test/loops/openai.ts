import OpenAI from "openai";
import { zodFunction } from "openai/helpers/zod";
import { until } from "#test/until.ts";
import {
  City,
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

type ResponseBody = OpenAI.Responses.ResponseCreateParamsNonStreaming;

/** `openai`: its own runner of tools over chat, and responses that continue each other in the background. */
export function openAiLoops({ origin, key }: Site): readonly LoopClient[] {
  const client = new OpenAI({ baseURL: `${origin}/api/v1`, apiKey: key, maxRetries: 0 });

  const overChat: LoopClient["run"] = async (model, stream) => {
    const { calls, execute } = countingTool();
    const body = {
      model,
      messages: [{ role: "user" as const, content: question }],
      tools: [zodFunction({ name: toolName, description, parameters: City, function: execute })],
      reasoning_effort: "high" as const,
      max_completion_tokens: tokensMax,
    };
    const options = { maxChatCompletions: turnsMax };
    const { chat } = client;
    const runner = stream
      ? chat.completions.runTools({ ...body, stream }, options)
      : chat.completions.runTools(body, options);
    return { text: (await runner.finalContent()) ?? "", calls: calls() };
  };

  async function ended(body: ResponseBody): Promise<OpenAI.Responses.Response> {
    const { id } = await client.responses.create(body);
    return until(async () => {
      const response = await client.responses.retrieve(id);
      if (response.status === "queued" || response.status === "in_progress") throw new Error("Not ended yet");
      return response;
    });
  }

  const inBackground: LoopClient["run"] = async (model) => {
    const { calls, execute } = countingTool();
    const usual: ResponseBody = {
      model,
      tools: [{ type: "function", name: toolName, description, parameters, strict: false }],
      reasoning: { effort: "high" },
      max_output_tokens: tokensMax,
      background: true,
      store: true,
    };
    let input: ResponseBody["input"] = question;
    let previous: string | undefined;
    for (let turn = 0; turn < turnsMax; turn++) {
      const response = await ended({ ...usual, input, previous_response_id: previous });
      if (response.status !== "completed") throw new Error(`${response.status}: ${response.error?.message}`);
      const called = response.output.filter((item) => item.type === "function_call");
      if (called.length === 0) return { text: response.output_text, calls: calls() };
      previous = response.id;
      input = called.map(({ call_id, arguments: given }) => ({
        type: "function_call_output",
        call_id,
        output: execute(given),
      }));
    }
    throw new Error("The loop did not end");
  };

  return [
    { name: "openai, chat", returnsReasoning: false, run: overChat },
    { name: "openai, responses in the background", returnsReasoning: true, run: inBackground },
  ];
}
