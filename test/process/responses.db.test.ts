import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { ErrorEnvelope } from "#contract/errors.ts";
import { ResponseObject } from "#contract/response-object.ts";
import { faultyModels } from "./overlay.ts";
import { eventsOf, startTestServer } from "./server.ts";

const faulty = faultyModels({
  "cut-3": { fr: "cut:3" },
  refused: { fr: "refuse", de: "ok" },
  down: { fr: "500" },
  small: { fr: "ok" },
});
const server = await startTestServer({
  overlay: {
    ...faulty,
    models: faulty.models.map((model) =>
      model.id === "test/small" ? { ...model, context_length: 400 } : model,
    ),
  },
});
const { client, post, record } = server;

const asked = { model: "sandbox/chat", input: "Say hello to Europe.", max_output_tokens: 6 };

/** Every key of a response, in the order in which it is sent. */
const everyKey = [
  ..."id object created_at status model provider output output_text usage completed_at error".split(" "),
  ..."incomplete_details billing frequency_penalty conversation instructions max_output_tokens".split(" "),
  ..."max_tool_calls moderation parallel_tool_calls presence_penalty previous_response_id prompt".split(" "),
  ..."prompt_cache_key prompt_cache_retention reasoning safety_identifier store temperature text".split(" "),
  ..."tool_choice tools top_logprobs top_p truncation user metadata background service_tier".split(" "),
];

/** What no window of 400 tokens holds, and a question that it does. */
const tooMuch = [
  { role: "user" as const, content: "Tell me everything. ".repeat(500) },
  { role: "user" as const, content: "And in short?" },
];

interface Event {
  readonly type: string;
  readonly sequence_number: number;
  readonly response?: ResponseObject;
  readonly delta?: string;
}

async function streamed(body: object): Promise<{ events: Event[]; text: string; generation: string | null }> {
  const response = await post("/responses", { ...body, stream: true });
  expect(response.status).toBe(200);
  const text = await response.clone().text();
  const data = await eventsOf(new Response(text.replaceAll(/^event: .*\n/gm, "")));
  expect(data.at(-1)).toBe("[DONE]");
  const events = data.slice(0, -1).map((event) => JSON.parse(event) as Event);
  return { events, text, generation: response.headers.get("x-generation-id") };
}

describe("a response", () => {
  test("is refused if its input is too long, unless the oldest items may be dropped", async () => {
    const long = { model: "test/small", input: tooMuch, max_output_tokens: 6 };
    const refused = await post("/responses", long);
    const { error } = ErrorEnvelope.parse(await refused.json());
    expect([refused.status, error.metadata.error_type]).toEqual([400, "context_length_exceeded"]);
    const response = await post("/responses", { ...long, truncation: "auto" });
    expect(ResponseObject.parse(await response.json())).toMatchObject({ truncation: "auto" });
    const row = await record(response.headers.get("x-generation-id"));
    expect(row.prompt_tokens).toBeLessThan(30);
    const items = await post("/responses", { ...long, input: tooMuch.slice(0, 1), truncation: "auto" });
    expect(items.status).toBe(400);
    await items.text();
  });

  test("has every key of the object, its price, and a record", async () => {
    const response = await post("/responses", asked);
    const body: unknown = await response.json();
    const object = ResponseObject.parse(body);
    expect(Object.keys(body as object).sort()).toEqual([...everyKey].sort());
    expect(object).toMatchObject({
      object: "response",
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
      completed_at: null,
      billing: { payer: "developer" },
      output: [{ type: "message", role: "assistant", status: "incomplete" }],
    });
    expect(object.id).toMatch(/^resp_[0-9a-f]{48}$/);
    expect(object.usage).toMatchObject({ output_tokens: 6, cost_currency: "USD" });
    expect(object.usage?.cost_details.upstream_inference_input_cost).toBeGreaterThan(0);
    const row = await record(response.headers.get("x-generation-id"));
    expect(row).toMatchObject({ operation: "responses", status: "completed", completion_tokens: 6 });
    expect(object.id).toContain(row.id.replaceAll("-", ""));
  });

  test("of a conversation answers its last turn, and ignores an unknown field", async () => {
    const response = await client.responses.create({
      model: "sandbox/chat",
      instructions: "Be kind.",
      input: [
        { role: "user", content: "My name is Ada." },
        { role: "assistant", content: "Hello Ada." },
        { role: "user", content: [{ type: "input_text", text: "What is my name?" }] },
      ],
      ...{ a_field_of_tomorrow: true },
    });
    expect(response.status).toBe("completed");
    expect(response.output_text.length).toBeGreaterThan(0);
    expect(response.completed_at).toBeGreaterThanOrEqual(response.created_at);
  });

  test("calls a tool, gets its output, and continues", async () => {
    const tools: OpenAI.Responses.FunctionTool[] = [
      {
        type: "function",
        name: "weather",
        strict: true,
        parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
      },
    ];
    const question = { role: "user" as const, content: "Weather in Riga?" };
    const first = await client.responses.create({
      model: "sandbox/chat",
      input: [question],
      tools,
      tool_choice: "required",
    });
    const call = first.output.find((item) => item.type === "function_call");
    expect(call).toMatchObject({ name: "weather", status: "completed" });
    expect(JSON.parse(call?.arguments ?? "")).toHaveProperty("city");
    const output = { type: "function_call_output" as const, call_id: call?.call_id ?? "", output: "4 °C" };
    const second = await client.responses.create({
      model: "sandbox/chat",
      input: [question, ...first.output, output] as OpenAI.Responses.ResponseInput,
      tools,
    });
    expect(second.output_text).not.toBe("");
  });

  test.each([
    ["with its own items sent back", false],
    ["with previous_response_id", true],
  ])("calls tools and reasons in ten steps, continued %s", async (_, isChained) => {
    const tools: OpenAI.Responses.FunctionTool[] = [
      {
        type: "function",
        name: "weather",
        strict: true,
        parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
      },
    ];
    const reasoning = { effort: "low" } as const;
    const own = { model: "sandbox/chat", tools, reasoning, store: isChained };
    let input: OpenAI.Responses.ResponseInput = [{ role: "user", content: "Weather in Riga?" }];
    let previous: string | null = null;
    for (let step = 0; step < 10; step++) {
      const made: OpenAI.Responses.Response = await client.responses.create({
        ...own,
        input,
        tool_choice: { type: "function", name: "weather" },
        previous_response_id: previous,
      });
      expect(made.output.map(({ type }) => type)).toEqual(["reasoning", "function_call"]);
      const call = made.output.find((item) => item.type === "function_call");
      expect(JSON.parse(call?.arguments ?? "")).toHaveProperty("city");
      const output = { type: "function_call_output" as const, call_id: call?.call_id ?? "", output: "4 °C" };
      input = isChained
        ? [output]
        : [...input, ...(made.output as OpenAI.Responses.ResponseInputItem[]), output];
      if (isChained) previous = made.id;
    }
    const last = await client.responses.create({ ...own, input, previous_response_id: previous });
    expect(last.output_text).not.toBe("");
  });

  test("follows a schema", async () => {
    const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
    const response = await client.responses.create({
      model: "sandbox/chat",
      input: "Which city?",
      text: { format: { type: "json_schema", name: "answer", schema, strict: true } },
    });
    expect(JSON.parse(response.output_text)).toHaveProperty("city");
    expect(response.text?.format).toMatchObject({ type: "json_schema", name: "answer" });
  });

  test("shows its reasoning before its text, with log probabilities", async () => {
    const response = await client.responses.create({
      ...asked,
      max_output_tokens: 60,
      reasoning: { effort: "low", summary: "auto" },
      top_logprobs: 2,
    });
    expect(response.output.map(({ type }) => type)).toEqual(["reasoning", "message"]);
    expect(response.usage?.output_tokens_details.reasoning_tokens).toBeGreaterThan(0);
    const message = response.output.at(-1);
    const part = message?.type === "message" ? message.content[0] : undefined;
    expect(part?.type === "output_text" && part.logprobs?.[0]?.top_logprobs).toHaveLength(2);
  });
});

describe("a streamed response", () => {
  test("is numbered without a gap, names each event, and ends in the complete object", async () => {
    const { events, text } = await streamed(asked);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, at) => at));
    expect([...text.matchAll(/^event: (.*)$/gm)].map(([, name]) => name)).toEqual(
      events.map(({ type }) => type),
    );
    expect(events.slice(0, 3).map(({ type }) => type)).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
    ]);
    const last = events.at(-1);
    expect(last?.type).toBe("response.incomplete");
    const final = ResponseObject.parse(last?.response);
    const deltas = events
      .filter(({ type }) => type === "response.output_text.delta")
      .map(({ delta }) => delta);
    expect(deltas.join("")).toBe(final.output_text);
    const complete = ResponseObject.parse(await (await post("/responses", asked)).json());
    const lasting = ({ status, output_text, text, tools, temperature }: ResponseObject) => ({
      status,
      output_text,
      text,
      tools,
      temperature,
    });
    expect(lasting(final)).toEqual(lasting(complete));
  });

  test("is assembled by the stream helper of the openai client", async () => {
    const stream = client.responses.stream({
      model: "sandbox/chat",
      input: "Think, then speak.",
      reasoning: { effort: "low" },
    });
    let heard = "";
    stream.on("response.output_text.delta", ({ delta }) => {
      heard += delta;
    });
    const final = await stream.finalResponse();
    expect(final.status).toBe("completed");
    expect(final.output_text).toBe(heard);
    expect(heard).not.toBe("");
  });

  test("that breaks ends in one failed response and [DONE], and the part is billed", async () => {
    const { events, generation } = await streamed({ model: "test/cut-3", input: "Where to?" });
    const ends = events.filter(({ type }) => /response\.(completed|incomplete|failed)/.test(type));
    expect(ends).toEqual([events.at(-1)]);
    expect(ends[0]).toMatchObject({
      type: "response.failed",
      response: { status: "failed", error: { code: "server_error" }, error_type: "provider_unavailable" },
    });
    const row = await record(generation);
    expect(row).toMatchObject({ status: "failed", finish_reason: "error", usage_estimated: true });
    expect(row.cost_pico_eur).toBeGreaterThan(0n);
  });
});

describe("a failure", () => {
  test("before the first content lets the next endpoint answer", async () => {
    const response = await post("/responses", {
      model: "test/refused",
      input: "x",
      provider: { sort: "price" },
    });
    expect(response.headers.get("x-fallback-count")).toBe("1");
    expect(ResponseObject.parse(await response.json()).provider).toContain("Sandbox");
  });

  test("raises the matching class of the openai client", async () => {
    const ask = (body: object) => client.responses.create({ model: "sandbox/chat", input: "x", ...body });
    await expect(ask({ model: "nobody/nothing" })).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    await expect(ask({ temperature: 9 })).rejects.toBeInstanceOf(OpenAI.BadRequestError);
    await expect(ask({ model: "test/down" })).rejects.toBeInstanceOf(OpenAI.InternalServerError);
    await expect(ask({ previous_response_id: "resp_nothing" })).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  });

  test.each([
    ["plugins", { plugins: [{ id: "web" }] }, "plugins"],
    ["prompt", { prompt: { id: "pmpt_1" } }, "prompt"],
    ["an item", { input: [{ type: "function_call_output", output: "x" }] }, "input.0.call_id"],
    ["an item nobody here has", { input: [{ type: "computer_call", call_id: "c" }] }, "input"],
    ["a part", { input: [{ role: "user", content: [{ type: "input_image" }] }] }, "input.0.content.0"],
  ])("of %s names the field", async (_, body, param) => {
    const response = await post("/responses", { ...asked, ...body });
    expect(response.status).toBe(400);
    expect(ErrorEnvelope.parse(await response.json()).error.param).toBe(param);
  });

  test("a hosted tool that no provider has is refused by its field", async () => {
    const response = await post("/responses", { ...asked, tools: [{ type: "web_search" }] });
    expect(response.status).toBe(400);
    const { error } = ErrorEnvelope.parse(await response.json());
    expect(error).toMatchObject({ code: "BAD_REQUEST", param: "tools" });
  });
});
