import { expect, test } from "vitest";
import { createOrganisation } from "#test/factories.ts";
import { startOwnUpstream } from "./own-upstream.ts";
import { startTestServer } from "./server.ts";

const own = await startOwnUpstream();
const server = await startTestServer({ settings: own.settings, overlay: own.overlay });
const { database, refreshSnapshot } = server.services;

// The provider charges 1 EUR for a million tokens and has a window of 131,072.
const messages = [{ role: "user", content: "Tell me" }];

/** The limit that the provider received, and the one that the answer reports. */
async function limitsOf(key: string, path: string, body: object) {
  const response = await server.send("POST", path, {
    key,
    body: JSON.stringify({ model: "own/chat", ...body }),
  });
  expect(response.status).toBe(200);
  await response.text();
  const { max_tokens: sent } = own.askedFor(response.headers.get("x-generation-id") ?? "");
  return { sent, added: response.headers.get("x-portolan-max-tokens-applied") };
}

async function keyWith(creditEur: string): Promise<string> {
  const { key } = await createOrganisation(database, { creditEur });
  await refreshSnapshot();
  return key;
}

const none = { sent: undefined, added: null };
const limitedTo = (tokens: number) => ({ sent: tokens, added: String(tokens) });

test("no limit is sent that the client did not set, where the credit covers the model's own", async () => {
  const key = await keyWith("1000");
  expect(await limitsOf(key, "/chat/completions", { messages })).toEqual(none);
  expect(await limitsOf(key, "/chat/completions", { messages, stream: true })).toEqual(none);
  expect(await limitsOf(key, "/responses", { input: "Tell me" })).toEqual(none);
  expect(await limitsOf(key, "/completions", { prompt: "Tell me" })).toEqual(none);
  expect(await limitsOf(key, "/responses", { input: "Tell me", max_output_tokens: 99 })).toEqual({
    sent: 99,
    added: null,
  });
});

test("with less credit available the limit is sent and reported; below 4,096 tokens the request is refused", async () => {
  // A twentieth of the rest is leased to the process, and a quarter of that to one request: 0.0125 EUR of 1.
  expect(await limitsOf(await keyWith("1"), "/chat/completions", { messages })).toEqual(limitedTo(8_192));
  expect(await limitsOf(await keyWith("0.005"), "/chat/completions", { messages })).toEqual(limitedTo(4_096));
  const body = JSON.stringify({ model: "own/chat", messages });
  const refused = await server.send("POST", "/chat/completions", { key: await keyWith("0.004"), body });
  expect(refused.status).toBe(402);
});

test("a key's own limit shortens an answer as credit does, and refuses none that it can pay for", async () => {
  const organisation = await createOrganisation(database, { creditEur: "10" });
  const { keyId: id, key } = organisation;
  await database.prisma.api_key.update({ where: { id }, data: { limit_pico_eur: "5000000000" } });
  await refreshSnapshot();
  expect(await limitsOf(key, "/chat/completions", { messages })).toEqual(limitedTo(4_096));
});
