import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { APICallError, embed, generateText, Output, stepCountIs, streamText, tool } from "ai";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { startTestServer } from "./server.ts";

const server = await startTestServer();
const baseURL = `${server.origin}/api/v1`;
const openai = createOpenAI({ baseURL, apiKey: server.key });
const anthropic = createAnthropic({ baseURL, apiKey: server.key });

const Port = z.object({ name: z.string(), berths: z.int() });
const weather = () => {
  const cities: string[] = [];
  const tools = {
    weather: tool({
      description: "The weather of a city",
      inputSchema: z.object({ city: z.string() }),
      execute: ({ city }) => {
        cities.push(city);
        return { sky: "grey" };
      },
    }),
  };
  return { cities, tools };
};

// `chat` speaks /chat/completions, the package's default /responses, and Anthropic's package /messages.
describe.each([
  ["chat", openai.chat("sandbox/chat")],
  ["responses", openai.responses("sandbox/chat")],
  ["messages", anthropic("sandbox/chat")],
])("the unmodified AI SDK over %s", (_, model) => {
  test("generates text", async () => {
    const { text, usage, finishReason } = await generateText({ model, prompt: "Say hello to Europe." });
    expect(text.length).toBeGreaterThan(0);
    expect(usage.outputTokens).toBeGreaterThan(0);
    expect(finishReason).toBe("stop");
  });

  test("streams text, calls a tool and goes on with its result", async () => {
    const { cities, tools } = weather();
    const result = streamText({ model, prompt: "The weather?", tools, stopWhen: stepCountIs(2) });
    let text = "";
    for await (const piece of result.textStream) text += piece;
    expect(cities).toHaveLength(1);
    expect(text.length).toBeGreaterThan(0);
    expect(await result.steps).toHaveLength(2);
  });

  test("gives an object of a schema", async () => {
    const { output } = await generateText({
      ...{ model, prompt: "Which port?", output: Output.object({ schema: Port }) },
    });
    expect(Port.parse(output)).toEqual(output);
  });

  test("raises its own error with our status", async () => {
    const stranger = createOpenAI({ baseURL, apiKey: "ptl_wrong" });
    const error = await generateText({ model: stranger.chat("sandbox/chat"), prompt: "x" }).catch(
      (thrown: unknown) => thrown,
    );
    expect(APICallError.isInstance(error) && error.statusCode).toBe(401);
  });
});

test("the unmodified AI SDK embeds a text", async () => {
  const { embedding, usage } = await embed({ model: openai.embedding("sandbox/embed"), value: "Vienna" });
  expect(embedding).toHaveLength(256);
  expect(usage.tokens).toBeGreaterThan(0);
});
