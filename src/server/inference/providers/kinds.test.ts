import { describe, expect, test } from "vitest";
import { EmbeddingRequest } from "#contract/embeddings.ts";
import { scene, sends, startConversations } from "#test/dialects/conversations.ts";
import type { Scene, Sent } from "#test/dialects/dialect.ts";
import { kindsOf } from "#test/dialects/file-upstream.ts";
import { dialects } from "#test/dialects/index.ts";
import { toAttemptError } from "../pipeline/failures.ts";
import type { ChatChunk } from "../wires/openai-chat/wire.ts";
import { nativeEmbeddings } from "../wires/openai-embeddings/wire.ts";
import type { Json } from "../wires/shared/json.ts";

const { upstream, exchange, open, complete, streamed } = await startConversations();

const calling: Scene = {
  ...scene,
  call: { id: "call_1", name: "weather", input: ['{"city"', ':"Pa', 'ris"}'] },
};

const tools = [
  {
    type: "function",
    function: {
      name: "weather",
      description: "Looks outside",
      parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    },
  },
];

const contentOf = (chunks: readonly ChatChunk[], field: string): string =>
  chunks
    .flatMap(({ choices }) => choices.map(({ delta }) => delta?.[field]))
    .filter((piece) => typeof piece === "string")
    .join("");

describe.each(dialects.map((dialect) => [dialect.kind, dialect] as const))("%s", (_kind, dialect) => {
  const usage = {
    uncached: 12,
    cacheRead: 8,
    cacheWrite: 0,
    completion: 12,
    estimated: false,
  };

  const reasoning = dialect.hasReasoning ? "Let me think." : undefined;

  test("a complete answer is converted to the form of OpenAI, and the credential is sent where it belongs", async () => {
    upstream.answer = sends(dialect.complete(scene));
    const answer = await complete(dialect, { temperature: 0.5 });
    expect(answer).toMatchObject({ finishReason: "stop", hasContent: true, usage });
    expect(answer?.choices).toHaveLength(1);
    const { reasoning_details: _, ...message } = answer.choices[0]?.message ?? {};
    expect(message).toEqual({
      role: "assistant",
      content: "Bonjour le monde — ☀️",
      ...(reasoning !== undefined && { reasoning, reasoning_content: reasoning }),
    });
    const [asked] = upstream.received;
    expect(asked?.path).toMatch(dialect.completePath);
    expect(asked?.headers[dialect.auth[0]]).toBe(dialect.auth[1]);
    expect(asked?.headers["x-portolan-generation"]).toBe("0190a000-0000-7000-8000-000000000001");
    expect(dialect.asked.text(asked?.body)).toBe("Hello there");
    expect(dialect.asked.maxTokens(asked?.body)).toBe(64);
  });

  test.each([1, 7, 1_000_000])(
    "a stream in pieces of %i bytes arrives completely, in order and with its usage",
    async (bytes) => {
      upstream.answer = sends(dialect.stream(scene, true), bytes);
      const { chunks, ended } = await streamed(dialect);
      expect(ended).toBe(true);
      expect(contentOf(chunks, "content")).toBe("Bonjour le monde — ☀️");
      expect(contentOf(chunks, "reasoning") || undefined).toBe(reasoning);
      expect(chunks.findLast((chunk) => chunk.usage)?.usage).toMatchObject(usage);
      expect(chunks.map(({ finishReason }) => finishReason).filter(Boolean)).toEqual(["stop"]);
      expect(upstream.received[0]?.path.startsWith(dialect.streamPath)).toBe(true);
    },
  );

  test("a stream that stops without the provider's ending is not complete", async () => {
    upstream.answer = sends(dialect.stream(scene, false));
    const { ended } = await streamed(dialect).catch((error) => ({
      ended: toAttemptError(error).message === "",
    }));
    expect(ended).toBe(false);
  });

  test("a tool call arrives with its arguments, complete and streamed", async () => {
    upstream.answer = sends(dialect.complete(calling));
    const answer = await complete(dialect, { tools, tool_choice: "auto" });
    expect(dialect.asked.toolNames(upstream.received[0]?.body)).toEqual(["weather"]);
    const arguments_ = (text: unknown) => JSON.parse(String(text));
    const [call] = (answer?.choices[0]?.message?.tool_calls ?? []) as Json[];
    expect(call).toMatchObject({ type: "function", function: { name: "weather" } });
    expect(arguments_((call as { function?: Json }).function?.arguments)).toEqual({ city: "Paris" });
    expect(answer?.finishReason).toBe("tool_calls");

    upstream.answer = sends(dialect.stream(calling, true), 11);
    const { chunks } = await streamed(dialect, { tools });
    const deltas = chunks.flatMap(({ choices }) =>
      choices.flatMap(({ delta }) => (delta?.tool_calls ?? []) as Json[]),
    );
    expect(deltas[0]).toMatchObject({ index: 0, type: "function", function: { name: "weather" } });
    const text = deltas.map(({ function: piece }) => (piece as Json).arguments ?? "").join("");
    expect(arguments_(text)).toEqual({ city: "Paris" });
    expect(chunks.findLast((chunk) => chunk.finishReason)?.finishReason).toBe("tool_calls");
  });

  test("the result of a tool is sent to the provider with its call", async () => {
    upstream.answer = sends(dialect.complete(scene));
    await complete(dialect, {
      tools,
      messages: [
        { role: "user", content: "Weather in Paris?" },
        {
          role: "assistant",
          content: null,
          tool_calls: [
            { id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Paris"}' } },
          ],
        },
        { role: "tool", tool_call_id: "call_1", content: "Sunny, 21 °C" },
      ],
    });
    expect(dialect.asked.toolAnswer(upstream.received[0]?.body)).toBe("Sunny, 21 °C");
  });

  test("a data URL image and a response schema reach the provider", async () => {
    upstream.answer = sends(dialect.complete(scene));
    const png = "iVBORw0KGgo=";
    await complete(dialect, {
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "What is this?" },
            { type: "image_url", image_url: { url: `data:image/png;base64,${png}` } },
          ],
        },
      ],
      response_format: {
        type: "json_schema",
        json_schema: {
          name: "thing",
          schema: { type: "object", properties: { odd_name: { type: "string" } } },
        },
      },
    });
    const body = JSON.stringify(upstream.received[0]?.body);
    expect(body).toContain(png);
    expect(body).toContain("odd_name");
  });

  const { embeddings } = dialect;

  test.runIf(embeddings)("embeddings arrive in order, as numbers or as base64", async () => {
    upstream.answer = sends(
      embeddings?.answer([
        [0.5, -1],
        [0.25, 2],
      ]) as Sent,
    );
    const { way } = open(dialect, "embeddings");
    const input = ["one", "two"];
    const asking = EmbeddingRequest.parse({ model: "m/x", input });
    const answer = await way.complete(exchange({ model: "model-of-theirs", input }));
    expect(nativeEmbeddings.reader(asking).answer(answer).vectors).toEqual(["[0.5,-1]", "[0.25,2]"]);
    expect(upstream.received[0]?.path.startsWith(embeddings?.path ?? "?")).toBe(true);
    expect(upstream.received[0]?.headers[dialect.auth[0]]).toBe(dialect.auth[1]);
  });
});

test("every kind that can chat is in this suite", () => {
  const covered = dialects.map(({ kind }) => kind);
  expect(kindsOf("chat").filter((kind) => !covered.includes(kind))).toEqual([]);
});
