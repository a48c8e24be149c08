import { expect, test } from "vitest";
import { Completion } from "#contract/completions.ts";
import { createOrganisation } from "#test/factories.ts";
import { startOwnUpstream } from "./own-upstream.ts";
import { eventsOf, startTestServer } from "./server.ts";

const own = await startOwnUpstream();
const server = await startTestServer({ settings: own.settings, overlay: own.overlay });
const { database, refreshSnapshot, billing } = server.services;
const { key } = await createOrganisation(database);
await refreshSnapshot();

const prompt = ["one", "three", "eleven"];
// The provider of `own/chat` chats only, and counts the characters of its messages as their tokens.
const asked = prompt.map((content) => JSON.stringify([{ role: "user", content }]).length);
const promptTokens = asked.reduce((sum, tokens) => sum + tokens);
const complete = (body: object) =>
  server.send("POST", "/completions", {
    key,
    body: JSON.stringify({ model: "own/chat", prompt, max_tokens: 2, ...body }),
  });

test("several prompts to a chat model: a choice each, counted and billed together", async () => {
  const response = await complete({});
  expect(response.status).toBe(200);
  const { choices, usage } = Completion.parse(await response.json());
  expect(choices.map(({ index, text, finish_reason }) => [index, text, finish_reason])).toEqual(
    prompt.map((_, at) => [at, "word0 word1 ", "length"]),
  );
  expect(usage).toMatchObject({
    prompt_tokens: promptTokens,
    completion_tokens: 6,
    total_tokens: promptTokens + 6,
  });
  await billing.drain();
  const row = await server.record(response.headers.get("x-generation-id") ?? "");
  expect(row).toMatchObject({ status: "completed", prompt_tokens: promptTokens, completion_tokens: 6 });
  // 1 EUR for a million tokens of either kind.
  expect(BigInt(row.cost_pico_eur)).toBe(BigInt(promptTokens + 6) * 1_000_000n);
});

test("streamed, each choice gets its own text, and one usage comes at the end", async () => {
  const response = await complete({ stream: true });
  const events = await eventsOf(response);
  expect(events.at(-1)).toBe("[DONE]");
  const chunks = events.slice(0, -1).map((event) => JSON.parse(event));
  const texts = new Map<number, string>();
  for (const { choices } of chunks)
    for (const { index, text } of choices) texts.set(index, (texts.get(index) ?? "") + text);
  expect([...texts].sort(([a], [b]) => a - b)).toEqual(prompt.map((_, at) => [at, "word0 word1 "]));
  expect(chunks.filter(({ usage }) => usage != null)).toHaveLength(1);
  expect(chunks.at(-1).usage).toMatchObject({ prompt_tokens: promptTokens, completion_tokens: 6 });
});

test("if the provider fails, the answer is its failure, once", async () => {
  const response = await complete({ model: "own/down" });
  expect(response.status).toBe(502);
});
