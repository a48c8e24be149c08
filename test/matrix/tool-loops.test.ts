import { afterAll, expect, test } from "vitest";
import { createUpstreams } from "#server/inference/pipeline/upstreams.ts";
import { allowedHosts, Outbound } from "#server/platform/outbound.ts";
import { startUpstream } from "#test/dialects/server.ts";
import { inferenceOver } from "#test/inference.ts";
import { credential, play } from "#test/providers/serve.ts";
import { isJson, type Json, listOf } from "#test/providers/shape.ts";
import { tested } from "./run.ts";
import { targets } from "./targets.ts";

const upstream = await startUpstream();
const outbound = new Outbound(allowedHosts(["127.0.0.1"]));
afterAll(async () => {
  await outbound.close();
  await upstream.close();
});

const steps = 10;
const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };

/** How a client of an operation asks with tools and reasoning, and sends an answer back with results of its calls. */
interface Client {
  readonly operation: "chat" | "responses";
  readonly first: readonly Json[];
  readonly asks: (turns: readonly Json[]) => Json;
  /** What the answer adds to the conversation, and its calls. */
  readonly takes: (body: Json) => { readonly turns: readonly Json[]; readonly calls: readonly Json[] };
  readonly result: (call: Json) => Json;
}
const user = { role: "user", content: "What is the weather like?" };
const clients: readonly Client[] = [
  {
    operation: "chat",
    first: [user],
    asks: (messages) => ({
      messages,
      reasoning: { effort: "high" },
      tools: [{ type: "function", function: { name: "weather", parameters } }],
    }),
    takes(body) {
      const [choice] = listOf(body.choices);
      const message = isJson(choice?.message) ? choice.message : {};
      return { turns: [message], calls: listOf(message.tool_calls) };
    },
    result: ({ id }) => ({ role: "tool", tool_call_id: id, content: "Sunny" }),
  },
  {
    operation: "responses",
    first: [{ type: "message", ...user }],
    asks: (items) => ({
      items,
      store: false,
      reasoning: { effort: "high" },
      include: ["reasoning.encrypted_content"],
      tools: [{ type: "function", name: "weather", parameters, strict: false }],
    }),
    takes({ output }) {
      const items = listOf(output);
      return { turns: items, calls: items.filter(({ type }) => type === "function_call") };
    },
    result: ({ call_id }) => ({ type: "function_call_output", call_id, output: "Sunny" }),
  },
];
const pairs = targets
  .filter(({ apis }) => apis.includes("chat"))
  .flatMap((target) => clients.map((client) => [target.title, client.operation, target, client] as const));

test.each(pairs)("%s accepts ten calls of a tool with reasoning, over /%s", async (_, __, target, client) => {
  const played = play(target.mock);
  played.toolCalls = steps;
  upstream.answer = played.answer;
  const endpoint = target.at(upstream.origin);
  const upstreams = createUpstreams(new Map([["theirs", credential]]));
  const { deps } = inferenceOver([endpoint], upstreams, outbound);
  let turns = client.first;
  let called = 0;
  for (let step = 0; step <= steps; step++) {
    const request = { model: endpoint.model.id, ...client.asks(turns) };
    const { body } = (await tested[client.operation].ask(deps, request)) as { body?: unknown };
    const { turns: said, calls } = client.takes(JSON.parse(JSON.stringify(body)));
    called += calls.length;
    turns = [...turns, ...said, ...calls.map(client.result)];
  }
  expect(played.judged.filter(({ refusal }) => refusal !== null)).toEqual([]);
  expect([called, JSON.stringify(turns.at(-1))]).toEqual([steps, expect.stringContaining("Bonjour — ☀️")]);
});
