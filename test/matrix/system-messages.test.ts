// Instructions that a client puts within a conversation.
import { afterAll, expect, test } from "vitest";
import type { Api } from "#contract/inference-operations.ts";
import { createUpstreams } from "#server/inference/pipeline/upstreams.ts";
import { allowedHosts, Outbound } from "#server/platform/outbound.ts";
import { startUpstream } from "#test/dialects/server.ts";
import { inferenceOver } from "#test/inference.ts";
import { credential, play } from "#test/providers/serve.ts";
import { type Json, listOf } from "#test/providers/shape.ts";
import { tested } from "./run.ts";
import { targets } from "./targets.ts";

const upstream = await startUpstream();
const outbound = new Outbound(allowedHosts(["127.0.0.1"]));
afterAll(async () => {
  await outbound.close();
  await upstream.close();
});

const conversation = [
  { role: "system", content: "Be <first>." },
  { role: "user", content: "<second>" },
  { role: "assistant", content: "<third>" },
  { role: "user", content: "<fourth>" },
  { role: "system", content: "Be <fifth>." },
];
const items = conversation.map((message) => ({ type: "message", ...message }));
const bodies: Partial<Record<Api, Json>> = {
  chat: { messages: conversation },
  responses: { items },
  messages: { system: "Be <first>.", messages: conversation.slice(1) },
};
const order = /<(?:first|second|third|fourth|fifth)>/g;

const cases = targets
  .filter(({ apis }) => apis.includes("chat"))
  .flatMap((target) =>
    Object.entries(bodies).map(([api, body]) => [target.title, api as Api, target, body] as const),
  );

test.each(cases)("%s gets a system message within a conversation of /%s", async (_, api, target, body) => {
  const played = play(target.mock);
  upstream.answer = played.answer;
  const endpoint = target.at(upstream.origin);
  const { deps } = inferenceOver([endpoint], createUpstreams(new Map([["theirs", credential]])), outbound);
  const { headers } = await tested[api].ask(deps, { model: endpoint.model.id, ...body });
  const [judged] = played.judged;
  expect(judged?.refusal).toBeNull();
  const { system, systemInstruction, messages, contents, input } = judged?.body ?? {};
  const sent = JSON.stringify([system ?? systemInstruction, messages ?? contents ?? input]).match(order);
  const isMoved = /(messages|input)\.role>system/.test(headers["x-portolan-translated-params"] ?? "");
  expect(sent).toEqual(
    isMoved
      ? ["<first>", "<fifth>", "<second>", "<third>", "<fourth>"]
      : ["<first>", "<second>", "<third>", "<fourth>", "<fifth>"],
  );
  const { systemMessages } = endpoint.rules;
  if (systemMessages !== undefined) expect(isMoved).toBe(systemMessages === "first");
  // A template that is said to have one place for instructions gets one message of them.
  if (isMoved) expect(listOf(messages).filter(({ role }) => role === "system").length).toBeLessThanOrEqual(1);
});
