import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { StoredCompletion, StoredMessage } from "#contract/stored-completions.ts";
import { startOwnUpstream } from "./own-upstream.ts";
import { startTestServer } from "./server.ts";

const own = await startOwnUpstream();
const server = await startTestServer(own);
const { client, post, send, services } = server;
const { completions } = client.chat;
const { prisma } = services.database;
const model = "own/chat";

type Created = OpenAI.ChatCompletionCreateParamsNonStreaming;

const ask = (body: Partial<Created> = {}) =>
  completions.create({
    ...{ model, store: true, max_tokens: 4, messages: [{ role: "user", content: "Say hello." }] },
    ...body,
  });

const idsOf = async (query: OpenAI.Chat.ChatCompletionListParams): Promise<string[]> => {
  const ids: string[] = [];
  for await (const { id } of completions.list(query)) ids.push(id);
  return ids;
};

const refusal = async (response: Response) => {
  const { error } = (await response.json()) as { error: { param: string | null } };
  return [response.status, error.param];
};

describe("a stored chat completion through the unmodified openai client", () => {
  test("is returned as it was answered, with its metadata and settings", async () => {
    const tool = { type: "function", function: { name: "weather", parameters: { type: "object" } } } as const;
    const complete = await ask({ metadata: { project: "atlas" }, temperature: 0.5, tools: [tool] });
    const stored = await completions.retrieve(complete.id);
    expect(StoredCompletion.parse(stored)).toEqual(stored);
    expect(stored).toEqual({
      ...complete,
      ...{ metadata: { project: "atlas" }, temperature: 0.5, tools: [tool], input_user: null },
      ...{ top_p: null, presence_penalty: null, frequency_penalty: null, seed: null },
      ...{ tool_choice: null, response_format: null },
    });
  });

  test("is stored as a complete one when it was streamed", async () => {
    const stream = completions.stream({
      model,
      store: true,
      max_tokens: 4,
      messages: [{ role: "user", content: "Go." }],
    });
    const final = await stream.finalChatCompletion();
    const stored = await completions.retrieve(final.id);
    expect(stored.choices[0]).toMatchObject({
      ...{ index: 0, finish_reason: "length" },
      message: { role: "assistant", content: final.choices[0]?.message.content },
    });
    expect([stored.object, stored.usage]).toEqual(["chat.completion", final.usage]);
  });

  test("is never stored by the provider, and only sealed in the database", async () => {
    const { id } = await ask({
      metadata: { word: "zanzibar" },
      messages: [{ role: "user", content: "The word is zanzibar." }],
    });
    await completions.retrieve(id);
    const sent = own.askedFor(id.slice("gen-".length));
    expect(sent.messages).toHaveLength(1);
    expect(["store", "metadata"].filter((name) => name in sent)).toEqual([]);
    expect(JSON.stringify(await prisma.stored_completion.findMany())).not.toContain("zanzibar");
  });

  test("is not stored unless the request says so", async () => {
    for (const store of [false, undefined, null]) {
      const { id } = await ask({ store } as Partial<Created>);
      await expect(completions.retrieve(id)).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    }
  });

  test("its metadata is replaced, and it is deleted", async () => {
    const { id } = await ask({ metadata: { topic: "ports" } });
    const changed = await completions.update(id, { metadata: { topic: "rivers", page: "2" } });
    expect(changed).toEqual(await completions.retrieve(id));
    expect(changed).toMatchObject({ id, metadata: { topic: "rivers", page: "2" } });
    expect(await completions.update(id, { metadata: null })).toMatchObject({ metadata: {} });
    expect(await completions.delete(id)).toEqual({ id, object: "chat.completion.deleted", deleted: true });
    await expect(completions.retrieve(id)).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    await expect(completions.delete(id)).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    const { action } = await prisma.audit_entry.findFirstOrThrow({ orderBy: { position: "desc" } });
    expect(action).toBe("chat_completion.delete");
  });

  test("its messages are listed in pages, in both orders, with parts apart from texts", async () => {
    const parts = [{ type: "text", text: "And this?" }] as const;
    const { id } = await ask({
      messages: [
        { role: "system", content: "Be brief." },
        {
          role: "assistant",
          tool_calls: [{ id: "call_1", type: "function", function: { name: "f", arguments: "{}" } }],
        },
        { role: "tool", tool_call_id: "call_1", content: "1" },
        { role: "user", content: [...parts] },
      ],
    });
    const messages: object[] = [];
    for await (const message of completions.messages.list(id, { limit: 3 })) messages.push(message);
    expect(messages.map((message) => StoredMessage.parse(message))).toEqual([
      { id: `${id}-0`, role: "system", content: "Be brief.", content_parts: null },
      expect.objectContaining({
        id: `${id}-1`,
        content: null,
        tool_calls: [expect.objectContaining({ id: "call_1" })],
      }),
      { id: `${id}-2`, role: "tool", tool_call_id: "call_1", content: "1", content_parts: null },
      { id: `${id}-3`, role: "user", content: null, content_parts: parts },
    ]);
    const newest = await completions.messages.list(id, { order: "desc", limit: 1 });
    expect([newest.data[0]?.id, newest.has_more]).toEqual([`${id}-3`, true]);
  });

  test("is listed by model and metadata, page by page, in both orders", async () => {
    const made: string[] = [];
    for (const page of ["1", "2", "3"]) made.push((await ask({ metadata: { list: "yes", page } })).id);
    expect(await idsOf({ metadata: { list: "yes" }, limit: 2 })).toEqual(made);
    expect(await idsOf({ metadata: { list: "yes" }, limit: 2, order: "desc" })).toEqual(made.toReversed());
    expect(await idsOf({ metadata: { list: "yes", page: "2" } })).toEqual([made[1]]);
    expect(await idsOf({ metadata: { list: "no" } })).toEqual([]);
    expect((await idsOf({ model, limit: 100 })).slice(-3)).toEqual(made);
    expect(await idsOf({ model: "own/other" })).toEqual([]);
    const first = await completions.list({ metadata: { list: "yes" }, limit: 1 });
    expect([first.data.length, first.has_more]).toEqual([1, true]);
    expect(first.data[0]).toEqual(await completions.retrieve(made[0] ?? ""));
  });
});

test.each([
  ["complete", { model: "own/down" }],
  ["streamed", { model: "own/down", stream: true }],
])("an answer that failed is not stored, %s", async (_, body) => {
  const before = await idsOf({ limit: 100 });
  const messages = [{ role: "user", content: "lost" }];
  expect((await post("/chat/completions", { store: true, messages, ...body })).status).toBeGreaterThanOrEqual(
    500,
  );
  expect(await idsOf({ limit: 100 })).toEqual(before);
});

test("a stream whose client disconnected is not stored", async () => {
  const before = await idsOf({ limit: 100 });
  const messages = [{ role: "user" as const, content: "left" }];
  const stream = await completions.create({ model: "own/slow", store: true, stream: true, messages });
  for await (const _ of stream) break;
  await expect.poll(() => prisma.generation.count({ where: { status: "cancelled" } })).toBe(1);
  expect(await idsOf({ limit: 100 })).toEqual(before);
});

const long = "x".repeat(8 * 2 ** 20);
const { id } = await ask();

test.each([
  [
    "POST",
    "/chat/completions",
    { model, store: true, messages: [{ role: "user", content: long }] },
    [413, "messages"],
  ],
  [
    "POST",
    "/chat/completions",
    { model, store: "yes", messages: [{ role: "user", content: "x" }] },
    [400, "store"],
  ],
  ["GET", "/chat/completions?after=gen-nothing", null, [400, "after"]],
  ["GET", "/chat/completions?limit=101", null, [400, "limit"]],
  ["GET", "/chat/completions?order=up", null, [400, "order"]],
  ["GET", "/chat/completions?metadata=x", null, [400, "metadata"]],
  ["GET", "/chat/completions/gen-nothing", null, [404, "completion_id"]],
  ["GET", `/chat/completions/${id}/messages?after=x`, null, [400, "after"]],
  ["POST", `/chat/completions/${id}`, {}, [400, "metadata"]],
  ["POST", `/chat/completions/${id}`, { metadata: {}, model: "x" }, [400, "model"]],
])("%s %s that is invalid names the field", async (method, path, body, expected) => {
  const response = await send(method, path, body ? { body: JSON.stringify(body) } : {});
  expect(await refusal(response)).toEqual(expected);
});

test("chat completions are deleted when they expire", async () => {
  await completions.retrieve(id);
  await prisma.stored_completion.updateMany({ data: { expires_at: new Date(Date.now() - 1_000) } });
  await expect(completions.retrieve(id)).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  await services.queue.enqueue(null, "expired-responses", {});
  services.queue.wake("expired-responses");
  await expect.poll(() => prisma.stored_completion.count(), { timeout: 10_000 }).toBe(0);
});
