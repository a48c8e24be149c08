import fc from "fast-check";
import { request } from "undici";
import { expect, test } from "vitest";
import { z } from "zod";
import { PrefixCache } from "./prefix-cache.ts";
import { schemaInstance } from "./schema-instance.ts";
import { seededRandom } from "./seeded.ts";
import { startSandbox } from "./server.ts";
import { tokenize } from "./text.ts";

test("tokens joined give the text again", () => {
  fc.assert(fc.property(fc.string({ unit: "grapheme" }), (text) => tokenize(text).join("") === text));
});

test.for([
  { type: "string", minLength: 12, maxLength: 14 },
  { type: "string", format: "email" },
  { type: "integer", minimum: -9, exclusiveMaximum: -3 },
  { type: "number", exclusiveMinimum: 2, maximum: 3 },
  { type: "integer", minimum: 7, multipleOf: 5 },
  { type: "array", items: { type: "boolean" }, minItems: 2, maxItems: 4 },
  { enum: ["a", 3, null] },
  { anyOf: [{ type: "null" }, { type: "string" }] },
  {
    type: "object",
    properties: {
      id: { const: "x" },
      inner: { type: "object", properties: { n: { type: ["number", "null"] } } },
    },
    required: ["id", "inner"],
    additionalProperties: false,
  },
  { $ref: "#/$defs/port", $defs: { port: { type: "object", properties: { depth: { type: "number" } } } } },
] as const)("an instance made for a schema is valid: %j", (schema) => {
  const check = z.fromJSONSchema(JSON.parse(JSON.stringify(schema)));
  for (let seed = 0; seed < 20; seed++) check.parse(schemaInstance(schema, seededRandom(seed)));
});

test("a schema that holds itself comes to an end", () => {
  const node = { type: "object", properties: { next: { $ref: "#" } } };
  expect(JSON.stringify(schemaInstance(node, seededRandom(1))).length).toBeLessThan(200);
});

test("the prompt cache drops the oldest entries and separates scopes", () => {
  const cache = new PrefixCache(2);
  const tokens = (word: string) => Array.from({ length: 70 }, () => word);
  expect(cache.read("fr", tokens("a"))).toBe(0);
  expect(cache.read("fr", tokens("a"))).toBe(64);
  expect(cache.read("de", tokens("a"))).toBe(0);
  expect(cache.read("fr", tokens("a"))).toBe(0);
});

test("rerank puts the document with the words first, in Cohere's shape", async () => {
  const sandbox = await startSandbox();
  const answer = await request(`${sandbox.origin}/de/v1/rerank`, {
    method: "POST",
    body: JSON.stringify({
      model: "sandbox/rerank",
      query: "deep harbour",
      documents: ["a shallow bay", { text: "the harbour is deep" }, "harbour"],
      top_n: 2,
      return_documents: true,
    }),
  });
  expect(await answer.body.json()).toMatchObject({
    results: [
      { index: 1, relevance_score: expect.any(Number), document: { text: "the harbour is deep" } },
      { index: 2, relevance_score: expect.any(Number) },
    ],
    meta: { billed_units: { search_units: 1 } },
  });
  await sandbox.close();
});

test("an image counts as one, not as its bytes", async () => {
  const sandbox = await startSandbox();
  const tokensOf = async (content: unknown) => {
    const { body } = await request(`${sandbox.origin}/fr/v1/chat/completions`, {
      method: "POST",
      body: JSON.stringify({ model: "sandbox/chat", max_tokens: 1, messages: [{ role: "user", content }] }),
    });
    const { usage } = z.object({ usage: z.object({ prompt_tokens: z.int() }) }).parse(await body.json());
    return usage.prompt_tokens;
  };
  const image = (bytes: number) => ({
    type: "image_url",
    image_url: { url: `data:image/png;base64,${"A".repeat(bytes)}` },
  });
  const [small, large] = [await tokensOf([image(8)]), await tokensOf([image(800_000)])];
  expect(Math.abs(large - small)).toBeLessThan(10);
  expect(small).toBeGreaterThan(85);
  await sandbox.close();
});

test("echo answers both wires with as many words as asked for", async () => {
  const sandbox = await startSandbox();
  const ask = async (path: string, body: object) => {
    const answer = await request(`${sandbox.origin}/us/v1${path}`, {
      method: "POST",
      body: JSON.stringify({ model: "sandbox/echo", ...body }),
    });
    return answer.body.text();
  };
  for (const path of ["/chat/completions", "/completions"]) {
    expect(JSON.parse(await ask(path, { max_tokens: 3 }))).toHaveProperty("usage.completion_tokens", 3);
    const lines = (await ask(path, { max_tokens: 3, stream: true })).trim().split("\n\n");
    expect(lines).toHaveLength(5);
    expect(lines.at(-1)).toBe("data: [DONE]");
  }
  expect(sandbox.seen().map(({ delivered_tokens }) => delivered_tokens)).toEqual([3, 3, 3, 3]);
  await sandbox.close();
});

test("only the last requests are remembered", async () => {
  const sandbox = await startSandbox({ remembered: 2 });
  for (let count = 0; count < 3; count++) await (await request(`${sandbox.origin}/fr/v1/models`)).body.dump();
  expect(sandbox.seen().map(({ sequence }) => sequence)).toEqual([2, 3]);
  await sandbox.close();
});
