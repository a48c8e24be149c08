// What Claude Code sends, at every provider.
import { afterAll, describe, expect, test } from "vitest";
import { CountTokensRequest, MessagesRequest } from "#contract/messages.ts";
import { messages } from "#server/inference/operations/messages/operation.ts";
import { countTokens, prepareMessages } from "#server/inference/operations/messages/prepare.ts";
import { serve } from "#server/inference/pipeline/serve.ts";
import { createUpstreams } from "#server/inference/pipeline/upstreams.ts";
import { sha256 } from "#server/platform/crypto.ts";
import { allowedHosts, Outbound } from "#server/platform/outbound.ts";
import { startUpstream } from "#test/dialects/server.ts";
import { inferenceOver, keyCaller } from "#test/inference.ts";
import {
  claudeCodeCounts,
  claudeCodeImage,
  claudeCodeRequests,
  claudeCodeSearch,
  type RecordedRequest,
} from "#test/messages/claude-code.ts";
import { credential, play } from "#test/providers/serve.ts";
import { isJson, type Json, listOf } from "#test/providers/shape.ts";
import { type Target, targets } from "./targets.ts";

const upstream = await startUpstream();
const outbound = new Outbound(allowedHosts(["127.0.0.1"]));
afterAll(async () => {
  await outbound.close();
  await upstream.close();
});

const chatting = targets.filter(({ apis }) => apis.includes("chat"));

/** Sends a request to a provider, and returns what the client and the provider got. */
async function ask(target: Target, { betas, body }: Omit<RecordedRequest, "name">, stream: boolean) {
  const played = play(target.mock);
  played.toolCalls = 0;
  upstream.answer = played.answer;
  const at = target.at(upstream.origin);
  const model = { ...at.model, inputModalities: ["text", "image", "file"] };
  const endpoint = { ...at, model, contextLength: 200_000, maxOutputTokens: 64_000 };
  const { deps } = inferenceOver([endpoint], createUpstreams(new Map([["theirs", credential]])), outbound);
  const request = MessagesRequest.parse({ model: endpoint.model.id, ...body, stream });
  const prepared = prepareMessages(request, { "anthropic-beta": betas.join(",") });
  const call = { requestId: "r", appTitle: null, signal: new AbortController().signal };
  const { headers, frames, body: answer } = await serve(deps, keyCaller, messages, prepared, call);
  let said = JSON.stringify(answer ?? "");
  if (frames) for await (const frame of frames) said += frame;
  const reported = (name: string) => headers[`x-portolan-${name}-params`]?.split(",") ?? [];
  const [judged] = played.judged;
  return { said, judged, dropped: reported("dropped"), translated: reported("translated") };
}

const marksIn = (value: unknown): string[] =>
  JSON.stringify(value).match(/<(text|thinking|tool|schema) \d+>/g) ?? [];
const namesIn = (value: unknown): string[] => JSON.stringify(value).match(/"Tool\d+"/g) ?? [];

/** The parts of a request that a provider did not get although no header says so. */
function lostParts({ body }: RecordedRequest, got: Json, dropped: readonly string[]): string[] {
  const sent = JSON.stringify(got);
  const isReported = (mark: string) =>
    mark.startsWith("<thinking") && dropped.some((name) => /reasoning|thinking/.test(name));
  const lost = [...marksIn(body), ...namesIn(body.tools)].filter(
    (one) => !sent.includes(one) && !isReported(one),
  );
  const { user_id } = body.metadata as { user_id: string };
  const digest = Buffer.from(sha256(user_id), "base64url").toString("hex");
  const hasUser = [JSON.stringify(user_id), digest].some((one) => sent.includes(one));
  if (!hasUser && !dropped.includes("metadata.user_id")) lost.push("metadata.user_id");
  if (body.context_management && !got.context_management && !dropped.includes("context_management"))
    lost.push("context_management");
  return lost;
}

describe.each(chatting.map((target) => [target.title, target] as const))("%s", (_, target) => {
  test.each(
    claudeCodeRequests.flatMap((each) =>
      [false, true].map((streamed) => [each.name, streamed, each] as const),
    ),
  )("gets %s, streamed %o, and nothing is lost without a report", async (_name, streamed, recorded) => {
    const { said, judged, dropped, translated } = await ask(target, recorded, streamed);
    expect(judged?.refusal).toBeNull();
    expect(said).toContain("jour");
    const got = judged?.body ?? {};
    expect(lostParts(recorded, got, dropped)).toEqual([]);
    // Of an effort or budget, the provider gets a form of its own, or a header reports it.
    const reports = [...dropped, ...translated].filter((name) =>
      /^(thinking|output_config\.effort|reasoning)/.test(name),
    );
    const reasoning = /"(reasoning_effort|reasoning|thinking|thinkingConfig|output_config|reasoningConfig)"/;
    expect(reasoning.test(JSON.stringify(got)) || reports.length > 0).toBe(true);
  });

  // Groq's models here are for text only, which it says itself.
  test.skipIf(target.mock.name === "groq")("gets the image that a tool read", async () => {
    const { judged, dropped } = await ask(target, claudeCodeImage, true);
    expect(judged?.refusal).toBeNull();
    expect(lostParts(claudeCodeImage, judged?.body ?? {}, dropped)).toEqual([]);
    expect(JSON.stringify(judged?.body)).toContain("iVBORw0KGgo=");
  });

  test("a search on the web is refused by its field, unless the provider has Anthropic's API", async () => {
    const asked = ask(target, { betas: [], body: claudeCodeSearch }, true);
    if (!target.apis.includes("messages")) return expect(asked).rejects.toThrow("tools.0.type: ");
    const { judged } = await asked;
    expect(judged?.body.tools).toEqual(claudeCodeSearch.tools);
  });
});

test("instructions within the conversation keep their place where the provider takes them there", async () => {
  const [, loop] = claudeCodeRequests;
  if (!loop) throw new Error("No request has tools");
  for (const target of chatting) {
    const { judged, translated } = await ask(target, loop, false);
    const { mock, at } = target;
    const roles = listOf(judged?.body.messages ?? judged?.body.input ?? judged?.body.contents).map(
      ({ role }) => role,
    );
    const inside = roles
      .slice(roles.indexOf("user"))
      .filter((role) => role === "system" || role === "developer");
    const anywhere = at("").rules.systemMessages === "anywhere";
    expect([mock.name, inside.length, translated.includes("messages.role>system")]).toEqual([
      mock.name,
      anywhere ? 1 : 0,
      !anywhere,
    ]);
    expect(isJson(judged?.body)).toBe(true);
  }
});

test.each(claudeCodeCounts)("its counts for /context get an estimate (%#)", (body) => {
  const { input_tokens: tokens } = countTokens(CountTokensRequest.parse({ model: "m/x", ...body }));
  expect(tokens).toBeGreaterThan(0);
});
