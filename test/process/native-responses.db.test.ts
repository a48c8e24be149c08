import type { ServerResponse } from "node:http";
import type OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { startOwnUpstream } from "./own-upstream.ts";
import { startTestServer } from "./server.ts";

const usage = {
  input_tokens: 40,
  input_tokens_details: { cached_tokens: 10 },
  output_tokens: 9,
  output_tokens_details: { reasoning_tokens: 4 },
  total_tokens: 49,
};
const thought = {
  id: "rs_native",
  type: "reasoning",
  summary: [{ type: "summary_text", text: "Hm." }],
  encrypted_content: "sealed-thoughts",
};
const part = { type: "output_text", text: "Hello Europe", annotations: [], logprobs: [] };
const message = {
  id: "msg_native",
  type: "message",
  role: "assistant",
  status: "completed",
  content: [part],
};
const search = { id: "ws_native", type: "web_search_call", status: "completed", action: { type: "search" } };
const output = [thought, search, message];

const complete = {
  id: "resp_upstream",
  object: "response",
  model: "upstream-name",
  status: "completed",
  error: null,
  incomplete_details: null,
  service_tier: "flex",
  output,
  usage,
};
const begun = { ...complete, status: "in_progress", output: [], usage: null };

const place = { item_id: message.id, output_index: 2, content_index: 0 };
/** As an upstream might number them: not from 0, and with a gap. */
const events = [
  { type: "response.created", response: begun },
  { type: "response.in_progress", response: begun },
  { type: "response.output_item.added", output_index: 0, item: { ...thought, summary: [] } },
  { type: "response.output_item.done", output_index: 0, item: thought },
  { type: "response.output_item.added", output_index: 1, item: { ...search, status: "in_progress" } },
  { type: "response.web_search_call.searching", output_index: 1, item_id: search.id },
  { type: "response.output_item.done", output_index: 1, item: search },
  {
    type: "response.output_item.added",
    output_index: 2,
    item: { ...message, status: "in_progress", content: [] },
  },
  { type: "response.content_part.added", ...place, part: { ...part, text: "" } },
  { type: "response.output_text.delta", ...place, delta: "Hello ", logprobs: [], obfuscation: "xyz" },
  { type: "response.output_text.delta", ...place, delta: "Europe", logprobs: [] },
  { type: "response.output_text.done", ...place, text: part.text, logprobs: [] },
  { type: "response.content_part.done", ...place, part },
  { type: "response.output_item.done", output_index: 2, item: message },
  { type: "response.completed", response: complete },
].map((event, at) => ({ ...event, sequence_number: 7 + at * 3 }));

const frame = (event: { type: string }) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

/** What the next streams are: all events, or those before a failure. */
let streamed = events.map(frame).join("");
/** What they bring once that has surely been passed on. */
let afterwards = "";
function answer(response: ServerResponse, body: { stream?: boolean }) {
  if (!body.stream) {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(complete));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" }).write(streamed);
  setTimeout(() => response.end(afterwards), afterwards === "" ? 0 : 100);
}

const own = await startOwnUpstream(answer);
const server = await startTestServer(own);
const { client, post, record } = server;

const asked = { model: "own/native", input: "Say hello.", tools: [{ type: "web_search" as const }] };
const generationOf = (id: string): string =>
  id.slice("resp_".length, "resp_".length + 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");

describe("an upstream that speaks responses", () => {
  test("gets requests in its own form, stores nothing, and its items are returned unchanged under our name", async () => {
    const response = await client.responses.create({
      ...asked,
      reasoning: { effort: "low" },
      max_output_tokens: 50,
    });
    expect(own.askedFor(generationOf(response.id))).toEqual({
      model: "native",
      input: [{ type: "message", role: "user", content: "Say hello." }],
      max_output_tokens: 50,
      store: false,
      tools: [{ type: "web_search" }],
      reasoning: { effort: "low" },
      include: ["reasoning.encrypted_content"],
    });
    expect(response).toMatchObject({
      model: "own/native",
      output,
      output_text: "Hello Europe",
      service_tier: "flex",
    });
    expect(response.usage).toMatchObject({
      input_tokens: 40,
      input_tokens_details: { cached_tokens: 10 },
      output_tokens: 9,
      output_tokens_details: { reasoning_tokens: 4 },
    });
    const row = await record(generationOf(response.id));
    expect(row).toMatchObject({
      prompt_tokens: 40,
      cached_tokens: 10,
      completion_tokens: 9,
      usage_estimated: false,
    });
  });

  test("its events are streamed, renumbered without a gap, within our response", async () => {
    const stream = await client.responses.create({ ...asked, stream: true });
    const seen: OpenAI.Responses.ResponseStreamEvent[] = [];
    for await (const event of stream) seen.push(event);
    expect(seen.map(({ sequence_number }) => sequence_number)).toEqual(seen.map((_, at) => at));
    const plain = (list: readonly object[]) =>
      list.map((event) => ({ ...event, sequence_number: 0, response: undefined, obfuscation: undefined }));
    expect(plain(seen)).toEqual(plain(events));
    expect(seen.some((event) => "obfuscation" in event)).toBe(false);
    const last = seen.at(-1);
    expect(last).toMatchObject({ response: { status: "completed", model: "own/native", output } });
    const ids = seen.flatMap((event) => ("response" in event ? [event.response.id] : []));
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]).not.toBe("resp_upstream");
  });

  test("gets its encrypted reasoning back when the conversation continues, and no other", async () => {
    const first = await client.responses.create(asked);
    const open = { type: "reasoning" as const, id: "rs_open", summary: [] };
    const second = await client.responses.create({
      model: "own/native",
      previous_response_id: first.id,
      input: [open, { role: "user", content: "Go on." }],
    });
    const { input } = own.askedFor(generationOf(second.id));
    expect(input).toEqual([
      expect.objectContaining({ role: "user", content: "Say hello." }),
      ...output,
      { role: "user", content: "Go on." },
    ]);
  });

  test.each([
    ["rate_limit_exceeded", 429, "RATE_LIMIT_EXCEEDED"],
    ["server_error", 502, "PROVIDER_ERROR"],
    ["invalid_prompt", 400, "BAD_REQUEST"],
  ])("that fails with %s before its first content is answered with %i", async (code, status, ours) => {
    const failed = { ...begun, status: "failed", error: { code, message: "Upstream's own words" } };
    streamed = [events[0], { type: "response.failed", response: failed }]
      .map((one) => frame(one as { type: string }))
      .join("");
    const response = await post("/responses", { ...asked, stream: true });
    const text = await response.text();
    expect(response.status).toBe(status);
    expect(text).toContain(ours);
    expect(text).not.toContain("own words");
  });

  test.each([
    ["image_content_policy_violation", "image_content_policy_violation", "content_policy_violation"],
    ["context_length_exceeded", "invalid_prompt", "context_length_exceeded"],
    ["invalid_prompt", "invalid_prompt", "invalid_request"],
    ["rate_limit_exceeded", "rate_limit_exceeded", "rate_limit_exceeded"],
    ["server_error", "server_error", "provider_unavailable"],
  ])("that fails with %s after its first content ends with the code %s", async (given, code, errorType) => {
    const failed = { ...begun, status: "failed", error: { code: given, message: "Upstream's own words" } };
    streamed = events.slice(0, 10).map(frame).join("");
    const last = { type: "response.failed", response: failed };
    afterwards = frame(last);
    const text = await (await post("/responses", { ...asked, stream: true })).text();
    afterwards = "";
    const reported = JSON.parse(/data: (\{"type":"response\.failed".*)$/m.exec(text)?.[1] ?? "null");
    expect(reported.response).toMatchObject({ status: "failed", error: { code }, error_type: errorType });
    expect(text).not.toContain("own words");
  });

  test("that stops in the middle ends in one failed response with the partial output", async () => {
    streamed = events.slice(0, 10).map(frame).join("");
    const response = await post("/responses", { ...asked, stream: true });
    const text = await response.text();
    const names = [...text.matchAll(/^event: (.*)$/gm)].map(([, name]) => name);
    expect(names.filter((name) => /^response\.(completed|failed|incomplete)$/.test(name ?? ""))).toEqual([
      "response.failed",
    ]);
    const last = JSON.parse(/data: (\{"type":"response\.failed".*)$/m.exec(text)?.[1] ?? "null");
    expect(last.response).toMatchObject({
      status: "failed",
      output_text: "Hello ",
      error: { code: "server_error" },
    });
    expect(last.response.output.at(-1)).toMatchObject({ id: "msg_native", status: "incomplete" });
    expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
  });
});
