import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { GenerationRecord } from "#contract/generation-record.ts";
import { startUpstream } from "#test/dialects/server.ts";
import { eventsOf, startTestServer } from "./server.ts";

type Json = Record<string, unknown>;

/** What a provider says of an answer, of a choice and of a message, beside what every provider says. */
const ofAnswer = {
  service_tier: "flex",
  citations: ["https://example.eu/port"],
  search_results: [{ title: "Ports", url: "https://example.eu/port", date: null }],
  prompt_filter_results: [{ prompt_index: 0 }],
  timings: { predicted_ms: 12.5 },
};
const ofChoice = {
  content_filter_results: { hate: { filtered: false, severity: "safe" } },
  matched_stop: 128_001,
  stop_reason: "</end>",
};
const ofMessage = {
  annotations: [
    {
      type: "url_citation",
      url_citation: { url: "https://example.eu/port", title: "Ports", start_index: 0, end_index: 4 },
    },
  ],
  provider_metadata: { cache: "hit" },
};
/** The provider's own records, and members without a value: a client gets none of them. */
const notPassed = {
  id: "chatcmpl-theirs",
  object: "theirs",
  created: 1,
  model: "model-of-theirs",
  provider: "Theirs",
  cost: 7,
  request_id: "req_theirs",
  response_id: "resp_theirs",
  x_groq: { id: "req_theirs" },
  kv_transfer_params: null,
  prompt_logprobs: null,
};
const usage = {
  prompt_tokens: 9,
  completion_tokens: 7,
  total_tokens: 16,
  cost: 7,
  prompt_tokens_details: { audio_tokens: 3 },
  completion_tokens_details: {
    audio_tokens: 2,
    accepted_prediction_tokens: 4,
    rejected_prediction_tokens: 1,
  },
};

/** A message as Mistral's models send it. */
const inParts = {
  content: [
    {
      type: "thinking",
      thinking: [
        { type: "text", text: "Which " },
        { type: "text", text: "port?" },
      ],
    },
    { type: "text", text: "Por" },
    { type: "reference", reference_ids: [1] },
    { type: "text", text: "to" },
  ],
};

const upstream = await startUpstream();
const sse = (events: readonly object[]) =>
  `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")}data: [DONE]\n\n`;

/** Each field in another event: before the first choice, with the text, with the end, after it, and with the usage. */
function streamOf(isText: boolean): string {
  const { service_tier, citations, search_results, prompt_filter_results, timings } = ofAnswer;
  const { content_filter_results, matched_stop, stop_reason } = ofChoice;
  const choice = (spoken: string | null, rest: object) => ({
    ...notPassed,
    choices: [
      {
        index: 0,
        finish_reason: null,
        token_ids: null,
        ...(isText ? { text: spoken ?? "" } : { delta: spoken === null ? {} : { content: spoken } }),
        ...rest,
      },
    ],
  });
  return sse([
    { ...notPassed, choices: [], prompt_filter_results },
    { ...choice("Por", { content_filter_results }), service_tier },
    { ...choice("to", isText ? {} : { delta: { content: "to", ...ofMessage } }), citations },
    choice(null, { finish_reason: "stop", matched_stop }),
    { ...choice(null, { stop_reason }), search_results },
    { ...notPassed, choices: [], usage, timings },
  ]);
}

function respond(response: ServerResponse, stream: unknown, text: string): void {
  const type = stream === true ? "text/event-stream" : "application/json";
  response.writeHead(200, { "content-type": type }).end(text);
}

upstream.answer = (response, { body, path }) => {
  const isText = path.endsWith("/completions") && !path.endsWith("/chat/completions");
  const { model, stream } = body as Json;
  if (model === "parts") {
    const spoken = stream === true ? { delta: inParts } : { message: { role: "assistant", ...inParts } };
    const answer = { choices: [{ index: 0, finish_reason: "stop", ...spoken }], usage };
    respond(response, stream, stream === true ? sse([answer]) : JSON.stringify(answer));
    return;
  }
  if (stream === true) {
    respond(response, stream, streamOf(isText));
    return;
  }
  const spoken = isText
    ? { text: "Porto" }
    : { message: { role: "assistant", content: "Porto", refusal: null, ...ofMessage } };
  const choices = [{ index: 0, finish_reason: "stop", token_ids: null, ...ofChoice, ...spoken }];
  const answer = { ...notPassed, ...ofAnswer, choices, usage };
  respond(response, stream, JSON.stringify(answer));
};

const models = { chat: "chat", completions: "completions", parts: "chat" };
const server = await startTestServer({
  settings: { OWN_API_KEY: "secret", ALLOW_PRIVATE_HOSTS: "127.0.0.1" },
  overlay: {
    providers: [
      {
        slug: "own",
        name: "Own",
        base_url: `${upstream.origin}/v1`,
        region: "DE",
        apis: ["chat", "completions"],
      },
    ],
    models: Object.keys(models).map((name) => ({ id: `own/${name}`, context_length: 131_072 })),
    endpoints: Object.entries(models).map(([name, api]) => ({
      ...{ provider: "own", model: `own/${name}`, upstream_model: name, apis: [api] },
      price: { currency: "EUR", input: "1", output: "1" },
    })),
  },
});

/** The chunks of a stream put together as clients do: what comes later adds to what came before. */
function assembled(events: readonly string[]): Json {
  const answer: Json = {};
  const choice: Json = {};
  const message: Json = {};
  for (const event of events.filter((text) => text !== "[DONE]")) {
    const { choices, ...rest } = JSON.parse(event) as { choices: Json[] };
    Object.assign(answer, rest);
    for (const { delta = {}, text, ...more } of choices) {
      Object.assign(choice, more);
      Object.assign(message, delta);
      if (text !== undefined) choice.text = `${choice.text ?? ""}${text}`;
    }
  }
  return { ...answer, choices: [{ ...choice, message }] };
}

const asking = {
  "chat over chat": ["/chat/completions", { model: "own/chat", messages: [{ role: "user", content: "a" }] }],
  "completions over completions": ["/completions", { model: "own/completions", prompt: "a" }],
  "completions over chat": ["/completions", { model: "own/chat", prompt: "a" }],
} as const;

describe.each(Object.entries(asking))("%s", (name, [path, body]) => {
  test.each([false, true])("what only the provider knows reaches the client, streamed %o", async (stream) => {
    const response = await server.post(path, { ...body, stream });
    expect(response.status).toBe(200);
    const generation = response.headers.get("x-generation-id");
    const answer = stream ? assembled(await eventsOf(response)) : ((await response.json()) as Json);
    const [choice] = answer.choices as [Json];
    expect(answer).toMatchObject(ofAnswer);
    expect(choice).toMatchObject({ ...ofChoice, finish_reason: "stop" });
    if (name === "chat over chat") expect(choice.message).toMatchObject(ofMessage);
    expect(answer.usage).toMatchObject({
      prompt_tokens_details: { audio_tokens: 3 },
      completion_tokens_details: {
        audio_tokens: 2,
        accepted_prediction_tokens: 4,
        rejected_prediction_tokens: 1,
      },
    });

    expect(answer).toMatchObject({ model: body.model, provider: "Own" });
    expect(JSON.stringify(answer)).not.toMatch(/theirs/i);
    expect(answer).not.toHaveProperty("kv_transfer_params");
    expect(answer).not.toHaveProperty("prompt_logprobs");
    expect(choice).not.toHaveProperty("token_ids");
    expect(answer).not.toHaveProperty("cost");

    await server.record(generation);
    const record = await server.send("GET", `/generation?id=${generation}`);
    const { data } = (await record.json()) as { data: unknown };
    expect(GenerationRecord.parse(data).service_tier).toBe("flex");
  });
});

test.each([false, true])(
  "a content in parts is text, reasoning and references, streamed %o",
  async (stream) => {
    const body = { model: "own/parts", messages: [{ role: "user", content: "a" }], stream };
    const response = await server.post("/chat/completions", body);
    const answer = stream ? assembled(await eventsOf(response)) : ((await response.json()) as Json);
    const [choice] = answer.choices as [Json];
    expect(choice.message).toMatchObject({
      content: "Porto",
      reasoning: "Which port?",
      references: [{ type: "reference", reference_ids: [1] }],
    });
  },
);
