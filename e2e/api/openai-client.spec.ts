import OpenAI from "openai";
import { expect, test } from "../support/console.ts";
import { installation } from "../support/installation.ts";

const client = new OpenAI({
  baseURL: `${installation.origin}/api/v1`,
  apiKey: installation.apiKey,
  maxRetries: 0,
});

/** What Portolan adds to OpenAI's object. */
interface Served {
  provider: string;
  usage: { cost: number; cost_eur: number; cost_currency: string };
}

test("the unmodified openai client completes a prompt, with provider and cost in the answer", async () => {
  const completion = await client.completions.create({
    model: "sandbox/chat",
    prompt: "Say hello to Europe.",
    max_tokens: 16,
  });
  const { provider, usage } = completion as unknown as Served;
  expect(completion.choices[0]?.text.length).toBeGreaterThan(0);
  expect(provider).toMatch(/^Sandbox /);
  expect(usage.cost).toBeGreaterThan(0);
  expect(usage.cost_eur).toBeGreaterThan(0);
  expect(usage.cost_currency).toBe("USD");
});

test("the unmodified openai client streams a prompt to its end, with usage in the last chunk", async () => {
  const stream = await client.completions.create({
    model: "sandbox/chat",
    prompt: "Count the stars over the Baltic.",
    max_tokens: 24,
    stream: true,
  });
  let text = "";
  let last: unknown;
  for await (const chunk of stream) {
    text += chunk.choices[0]?.text ?? "";
    last = chunk;
  }
  expect(text.length).toBeGreaterThan(0);
  expect((last as Served).usage.cost_eur).toBeGreaterThan(0);
});

test("errors raise the classes the openai client has for them", async () => {
  const wrongKey = new OpenAI({
    baseURL: `${installation.origin}/api/v1`,
    apiKey: "ptl_wrong",
    maxRetries: 0,
  });
  await expect(wrongKey.completions.create({ model: "sandbox/chat", prompt: "x" })).rejects.toBeInstanceOf(
    OpenAI.AuthenticationError,
  );
  await expect(client.completions.create({ model: "nobody/nothing", prompt: "x" })).rejects.toBeInstanceOf(
    OpenAI.NotFoundError,
  );
});
