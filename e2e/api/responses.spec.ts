import OpenAI from "openai";
import { expect, test } from "../support/console.ts";
import { installation } from "../support/installation.ts";

const client = new OpenAI({
  baseURL: `${installation.origin}/api/v1`,
  apiKey: installation.apiKey,
  maxRetries: 0,
});

test("the unmodified openai client holds a conversation, streams it, and reads it back", async () => {
  const first = await client.responses.create({ model: "sandbox/chat", input: "My name is Ada." });
  expect(first.output_text.length).toBeGreaterThan(0);
  const stream = client.responses.stream({
    model: "sandbox/chat",
    input: "What is my name?",
    previous_response_id: first.id,
  });
  const second = await stream.finalResponse();
  expect(second.previous_response_id).toBe(first.id);
  expect((await client.responses.retrieve(second.id)).output_text).toBe(second.output_text);
});

test("the unmodified openai client has a response made in the background", async () => {
  const queued = await client.responses.create({
    model: "sandbox/chat",
    input: "Take your time.",
    background: true,
  });
  expect(queued.status).toBe("queued");
  await expect
    .poll(async () => (await client.responses.retrieve(queued.id)).status, { timeout: 20_000 })
    .toBe("completed");
});
