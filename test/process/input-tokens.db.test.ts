import { expect, test } from "vitest";
import { startTestServer } from "./server.ts";

const { client, post, services } = await startTestServer();
const model = "sandbox/chat";
const count = (asked: Parameters<typeof client.responses.inputTokens.count>[0]) =>
  client.responses.inputTokens.count({ model, ...asked });

test("counts are estimates near the usage of the response, and grow with every part of the input", async () => {
  const input = "Say hello to Europe, its rivers, its railways and its lighthouses.";
  const { object, input_tokens: tokens } = await count({ input });
  expect(object).toBe("response.input_tokens");
  const { usage } = await client.responses.create({ model, input });
  expect(tokens).toBeGreaterThan((usage?.input_tokens ?? 0) / 3);
  expect(tokens).toBeLessThan((usage?.input_tokens ?? 0) * 3);
  const more = [
    { instructions: "Answer in one sentence, and in English." },
    { tools: [{ type: "function", name: "port", parameters: { type: "object" }, strict: null } as const] },
    { input: [{ role: "user", content: input } as const, { role: "user", content: "And more." } as const] },
  ];
  for (const own of more) expect((await count({ input, ...own })).input_tokens).toBeGreaterThan(tokens);
});

test("a continued conversation is included", async () => {
  const { id } = await client.responses.create({ model, input: "A long first question. ".repeat(20) });
  const alone = await count({ input: "And then?" });
  const continued = await count({ input: "And then?", previous_response_id: id });
  expect(continued.input_tokens).toBeGreaterThan(alone.input_tokens + 100);
});

test("nothing is charged or recorded, and no provider is contacted", async () => {
  await services.billing.drain();
  const rows = () => services.database.prisma.generation.count();
  const before = await rows();
  await count({ model: "no/such-model", input: "Hello" });
  await services.billing.drain();
  expect(await rows()).toBe(before);
});

test("an unknown response is a 404, and an invalid item a 400 with its place", async () => {
  const unknown = await post("/responses/input_tokens", { input: "x", previous_response_id: "resp_nothing" });
  expect(unknown.status).toBe(404);
  const invalid = await post("/responses/input_tokens", { input: [{ type: "function_call", name: "x" }] });
  const { error } = (await invalid.json()) as { error: { param: string } };
  expect([invalid.status, error.param]).toEqual([400, "input.0.call_id"]);
});

test("a conversation may be as long as that of a response", async () => {
  const response = await post("/responses/input_tokens", { input: "word ".repeat(500_000) });
  expect(response.status).toBe(200);
});
