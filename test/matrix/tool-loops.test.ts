import { afterAll, expect, test } from "vitest";
import { createUpstreams } from "#server/inference/pipeline/upstreams.ts";
import { allowedHosts, Outbound } from "#server/platform/outbound.ts";
import { startUpstream } from "#test/dialects/server.ts";
import { inferenceOver } from "#test/inference.ts";
import { credential, type Play, play } from "#test/providers/serve.ts";
import { isJson, type Json } from "#test/providers/shape.ts";
import { type Client, clients } from "./loop-clients.ts";
import { tested } from "./run.ts";
import { type Target, targets } from "./targets.ts";

const upstream = await startUpstream();
const outbound = new Outbound(allowedHosts(["127.0.0.1"]));
afterAll(async () => {
  await outbound.close();
  await upstream.close();
});

const steps = 10;

interface Reply {
  readonly body?: unknown;
  readonly frames?: AsyncIterable<unknown>;
}

/** A complete answer, or the data of each event. */
async function answerOf({ body, frames }: Reply): Promise<readonly Json[]> {
  if (!frames) return [JSON.parse(JSON.stringify(body))];
  let text = "";
  for await (const frame of frames) text += String(frame);
  return text.split("\n").flatMap((line) => {
    const data = line.startsWith("data: ") ? line.slice("data: ".length) : "[DONE]";
    return data === "[DONE]" ? [] : [JSON.parse(data)];
  });
}

/** A loop of so many calls at a provider: what it judged, how many calls there were, and the last turn. */
async function loop(target: Target, client: Client) {
  const played: Play = play(target.mock);
  played.toolCalls = steps;
  upstream.answer = played.answer;
  const endpoint = target.at(upstream.origin);
  const upstreams = createUpstreams(new Map([["theirs", credential]]));
  const { deps, learned } = inferenceOver([endpoint], upstreams, outbound);
  let turns = client.first;
  let called = 0;
  for (let step = 0; step <= steps; step++) {
    const stream = client.streamed ? { stream: true } : {};
    const request = { model: endpoint.model.id, ...client.asks(turns), ...stream };
    const answer = await answerOf((await tested[client.operation].ask(deps, request)) as Reply);
    const { turns: said, calls } = client.takes(answer);
    called += calls.length;
    turns = [...turns, ...said, ...client.results(calls)];
  }
  return { judged: played.judged, called, last: JSON.stringify(turns.at(-1)), records: learned.final };
}

const all = targets
  .filter(({ apis }) => apis.includes("chat") || apis.includes("responses"))
  .flatMap((target) => clients.map((client) => [target.title, client.title, target, client] as const));

test.each(all)("%s accepts ten calls of a tool with reasoning, over %s", async (_, __, target, client) => {
  const { judged, called, last } = await loop(target, client);
  expect(judged.filter(({ refusal }) => refusal !== null)).toEqual([]);
  expect([called, last]).toEqual([steps, expect.stringContaining("Bonjour — ☀️")]);
});

const combined = all.filter(
  ([title, , , { operation }]) => / GPT-5\.4/.test(title) && operation !== "responses",
);

test.each(combined)("%s reasons in each of ten calls that chat would reject, over %s", async (...row) => {
  const [, , target, client] = row;
  const { judged, records } = await loop(target, client);
  const sent = judged.map(({ api, body }) => [
    api,
    body.store,
    isJson(body.reasoning) && body.reasoning.effort,
  ]);
  const effort = client.operation === "chat" ? "high" : "medium";
  expect(new Set(sent.map(String))).toEqual(new Set([`responses,false,${effort}`]));
  const thoughts = judged.map(({ body }) => JSON.stringify(body.input).split("encrypted_content").length - 1);
  // Each answer's reasoning is sent back with all later requests.
  expect(thoughts).toEqual(Array.from({ length: steps + 1 }, (__, step) => step));
  const attempts = records.map((record) => record.attempts?.at(-1));
  expect(new Set(attempts.map((attempt) => attempt?.api))).toEqual(new Set(["responses"]));
  const changes = attempts.map((attempt) => attempt?.parameters);
  expect(changes.every((one) => one?.dropped.length === 0 && one.clamped.length === 0)).toBe(true);
});
