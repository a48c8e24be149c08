import { expect, test } from "vitest";
import { createOrganisation } from "#test/factories.ts";
import { startOwnUpstream } from "./own-upstream.ts";
import { startTestServer } from "./server.ts";

const own = await startOwnUpstream();
const server = await startTestServer({ settings: own.settings, overlay: own.overlay });
const { database, refreshSnapshot } = server.services;

// The provider charges 1 EUR for a million tokens and has a window of 131,072.
const messages = [{ role: "user", content: "Tell me" }];

/** The `max_tokens` that the provider received. */
async function lengthAsked(key: string, path: string, body: object): Promise<unknown> {
  const response = await server.send("POST", path, {
    key,
    body: JSON.stringify({ model: "own/chat", ...body }),
  });
  expect(response.status).toBe(200);
  await response.text();
  return own.askedFor(response.headers.get("x-generation-id") ?? "").max_tokens;
}

async function keyWith(creditEur: string): Promise<string> {
  const { key } = await createOrganisation(database, { creditEur });
  await refreshSnapshot();
  return key;
}

test("a conversation without a limit gets 32,768 tokens, a text completion 4,096", async () => {
  const key = await keyWith("10");
  expect(await lengthAsked(key, "/chat/completions", { messages })).toBe(32_768);
  expect(await lengthAsked(key, "/chat/completions", { messages, stream: true })).toBe(32_768);
  expect(await lengthAsked(key, "/responses", { input: "Tell me" })).toBe(32_768);
  expect(await lengthAsked(key, "/responses", { input: "Tell me", max_output_tokens: 99 })).toBe(99);
  expect(await lengthAsked(key, "/completions", { prompt: "Tell me" })).toBe(4_096);
});

test("with less credit it gets half of that or less, and is refused only if 4,096 cannot be paid", async () => {
  // A twentieth of the rest is leased to the process, and a quarter of that to one request: 0.0125 EUR of 1.
  expect(await lengthAsked(await keyWith("1"), "/chat/completions", { messages })).toBe(8_192);
  expect(await lengthAsked(await keyWith("0.005"), "/chat/completions", { messages })).toBe(4_096);
  const body = JSON.stringify({ model: "own/chat", messages });
  const refused = await server.send("POST", "/chat/completions", { key: await keyWith("0.004"), body });
  expect(refused.status).toBe(402);
});

test("a key's own limit shortens an answer as credit does, and refuses none that it can pay for", async () => {
  const organisation = await createOrganisation(database, { creditEur: "10" });
  const { keyId: id, key } = organisation;
  await database.prisma.api_key.update({ where: { id }, data: { limit_pico_eur: "5000000000" } });
  await refreshSnapshot();
  expect(await lengthAsked(key, "/chat/completions", { messages })).toBe(4_096);
});
