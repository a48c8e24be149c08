import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { ConversationObject } from "#contract/conversations.ts";
import { ErrorEnvelope } from "#contract/errors.ts";
import { startOwnUpstream } from "./own-upstream.ts";
import { startTestServer } from "./server.ts";

const own = await startOwnUpstream();
const server = await startTestServer(own);
const { client, post, services } = server;
const { conversations } = client;
const { prisma } = services.database;
const model = "own/chat";

const textsOf = (items: readonly object[]): string[] =>
  items.map((item) => {
    const { content } = item as { content?: { text?: string }[] };
    return content?.map(({ text }) => text ?? "").join("") ?? "";
  });

async function itemsOf(id: string): Promise<object[]> {
  const items: object[] = [];
  for await (const item of conversations.items.list(id, { order: "asc", limit: 2 })) items.push(item);
  return items;
}

/** Texts of the messages that a provider was sent for a response. */
const sentFor = (response: { id: string }): unknown[] => {
  const hex = response.id.slice("resp_".length, "resp_".length + 32);
  const generation = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  const { messages } = own.askedFor(generation) as { messages: { content: unknown }[] };
  return messages.map(({ content }) => (typeof content === "string" ? content : textsOf([{ content }])[0]));
};

async function refusal(response: Response) {
  const { error } = ErrorEnvelope.parse(await response.json());
  return [response.status, error.param];
}

describe("a conversation through the unmodified openai client", () => {
  test("is created, read, changed and deleted", async () => {
    const created = await conversations.create({ metadata: { topic: "ports" } });
    expect(ConversationObject.parse(created)).toEqual(created);
    expect(await conversations.retrieve(created.id)).toEqual(created);
    const changed = { ...created, metadata: { topic: "rivers", page: "2" } };
    expect(await conversations.update(created.id, { metadata: changed.metadata })).toEqual(changed);
    expect(await conversations.retrieve(created.id)).toEqual(changed);
    expect(await conversations.update(created.id, { metadata: null })).toEqual({ ...created, metadata: {} });
    const deleted = { id: created.id, object: "conversation.deleted", deleted: true };
    expect(await conversations.delete(created.id)).toEqual(deleted);
    await expect(conversations.retrieve(created.id)).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  });

  test("can be created without a body", async () => {
    expect((await conversations.create()).metadata).toEqual({});
  });

  test("its items are added, listed in pages, read and deleted, in their order", async () => {
    const { id } = await conversations.create({ items: [{ role: "user", content: "one" }] });
    const added = await conversations.items.create(id, {
      items: [
        { role: "assistant", content: "two" },
        { role: "user", content: [{ type: "input_text", text: "three" }] },
      ],
    });
    expect(added).toMatchObject({ object: "list", has_more: false, first_id: added.data[0]?.id });
    const items = await itemsOf(id);
    expect(textsOf(items)).toEqual(["one", "two", "three"]);
    expect(items[1]).toMatchObject({
      ...{ type: "message", role: "assistant", status: "completed" },
      content: [{ type: "output_text", text: "two", annotations: [] }],
    });
    const newest = await conversations.items.list(id, { limit: 1 });
    expect([textsOf(newest.data), newest.has_more]).toEqual([["three"], true]);
    const last = added.data[1]?.id ?? "";
    expect(await conversations.items.retrieve(last, { conversation_id: id })).toEqual(items[2]);
    expect(await conversations.items.delete(last, { conversation_id: id })).toMatchObject({ id });
    expect(textsOf(await itemsOf(id))).toEqual(["one", "two"]);
    await expect(conversations.items.retrieve(last, { conversation_id: id })).rejects.toBeInstanceOf(
      OpenAI.NotFoundError,
    );
  });

  test("is only sealed in the database", async () => {
    const { id } = await conversations.create({
      metadata: { topic: "very-secret" },
      items: [{ role: "user", content: "very-secret" }],
    });
    await client.responses.create({ model, input: "very-secret", conversation: id });
    const rows = JSON.stringify([
      await prisma.conversation.findMany(),
      await prisma.conversation_item.findMany(),
    ]);
    expect(rows).not.toContain("very-secret");
    const entries = await prisma.audit_entry.findMany();
    expect(
      JSON.stringify(entries, (_, value: unknown) => (typeof value === "bigint" ? "" : value)),
    ).not.toContain("very-secret");
  });
});

describe("a response in a conversation", () => {
  test.each([
    { stream: false, store: true },
    { stream: true, store: true },
    { stream: false, store: false },
    { stream: true, store: false },
  ])("is answered from its items, and appended to it: %j", async ({ stream, store }) => {
    const { id } = await conversations.create({ items: [{ role: "user", content: "first" }] });
    const asking = { model, store, max_output_tokens: 16 };
    const ask = async (body: { input: string; conversation: string | { id: string } }) =>
      stream
        ? client.responses.stream({ ...asking, ...body }).finalResponse()
        : client.responses.create({ ...asking, ...body });
    const one = await ask({ input: "second", conversation: id });
    expect(one.conversation).toEqual({ id });
    expect(sentFor(one)).toEqual(["first", "second"]);
    const two = await ask({ input: "third", conversation: { id } });
    expect(sentFor(two)).toEqual(["first", "second", one.output_text, "third"]);
    expect(textsOf(await itemsOf(id))).toEqual([
      "first",
      "second",
      one.output_text,
      "third",
      two.output_text,
    ]);
    const stored = client.responses.retrieve(two.id);
    if (store) expect(await stored).toMatchObject({ id: two.id, conversation: { id } });
    else await expect(stored).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  });

  // This provider always ends at its limit.
  test.each([false, true])("in the background is appended when it has ended, streamed %o", async (stream) => {
    const { id } = await conversations.create({ items: [{ role: "user", content: "first" }] });
    const response = await post("/responses", {
      ...{ model, input: "second", conversation: id, background: true, stream },
    });
    const responseId = /"id":"(resp_\w+)"/.exec(await response.text())?.[1] ?? "";
    await expect
      .poll(async () => (await client.responses.retrieve(responseId)).status, { timeout: 20_000 })
      .toBe("incomplete");
    const ended = await client.responses.retrieve(responseId);
    expect(sentFor(ended)).toEqual(["first", "second"]);
    expect(ended.conversation).toEqual({ id });
    expect(textsOf(await itemsOf(id))).toEqual(["first", "second", ended.output_text]);
  });

  test("that failed is not appended", async () => {
    const { id } = await conversations.create({ items: [{ role: "user", content: "first" }] });
    const response = await post("/responses", { model: "own/down", input: "lost", conversation: id });
    expect(response.status).toBeGreaterThanOrEqual(500);
    expect(textsOf(await itemsOf(id))).toEqual(["first"]);
  });

  test("responses at the same time are appended one after the other", async () => {
    const { id } = await conversations.create();
    const inputs = ["a", "b", "c", "d"];
    await Promise.all(inputs.map((input) => client.responses.create({ model, input, conversation: id })));
    const texts = textsOf(await itemsOf(id));
    expect(texts).toHaveLength(8);
    expect(texts.filter((_, at) => at % 2 === 0).sort()).toEqual(inputs);
  });

  test("is counted with the items of its conversation", async () => {
    const { id } = await conversations.create({ items: [{ role: "user", content: "word ".repeat(500) }] });
    const alone = await client.responses.inputTokens.count({ model, input: "x" });
    const counted = await client.responses.inputTokens.count({ model, input: "x", conversation: id });
    expect(counted.input_tokens).toBeGreaterThan(alone.input_tokens + 500);
    expect(await itemsOf(id)).toHaveLength(1);
  });

  test("a deleted conversation can no longer be continued", async () => {
    const { id } = await conversations.create();
    await conversations.delete(id);
    expect(await refusal(await post("/responses", { model, input: "x", conversation: id }))).toEqual([
      404,
      "conversation",
    ]);
  });
});

const { id } = await conversations.create({
  items: [{ id: "msg_known", role: "user", content: "x" }],
} as object);

describe("what is refused", () => {
  const message = { role: "user", content: "x" };

  test.each([
    ["/responses", { model, input: "x", conversation: id, previous_response_id: "resp_1" }, "conversation"],
    ["/conversations", { items: [{ type: "item_reference", id: "msg_1" }] }, "items.0.type"],
    ["/conversations", { items: [{ type: "function_call", name: "f" }] }, "items.0.call_id"],
    ["/conversations", { metadata: { a: "x".repeat(513) } }, "metadata.a"],
    [
      "/conversations",
      { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`k${at}`, "v"])) },
      "metadata",
    ],
    ["/conversations", { name: "x" }, "name"],
    [`/conversations/${id}/items`, { items: [] }, "items"],
    [`/conversations/${id}/items`, { items: [message, { ...message, id: "msg_known" }] }, "items.1.id"],
    [`/conversations/${id}`, {}, "metadata"],
  ])("%s with %j names the field", async (path, body, param) => {
    expect(await refusal(await post(path, body))).toEqual([400, param]);
    expect(await itemsOf(id)).toHaveLength(1);
  });

  test("an unknown conversation is a 404 that names the field", async () => {
    for (const unknown of ["conv_nothing", id.replace(/.$/, (last) => (last === "0" ? "1" : "0"))]) {
      const response = await server.send("GET", `/conversations/${unknown}`);
      expect(await refusal(response)).toEqual([404, "conversation_id"]);
    }
  });
});

test("conversations are deleted with their items when they expire, and adding items defers that", async () => {
  const [old, used] = [
    await conversations.create({ items: [{ role: "user", content: "x" }] }),
    await conversations.create(),
  ];
  const before = new Date(Date.now() + 60_000);
  await prisma.conversation.updateMany({ data: { expires_at: before } });
  await conversations.items.create(used.id, { items: [{ role: "user", content: "x" }] });
  const later = await prisma.conversation.findMany({ where: { expires_at: { gt: before } } });
  expect(later).toHaveLength(1);
  await prisma.conversation.updateMany({
    where: { expires_at: before },
    data: { expires_at: new Date(Date.now() - 1_000) },
  });
  await expect(conversations.retrieve(old.id)).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  await services.queue.enqueue(null, "expired-responses", {});
  services.queue.wake("expired-responses");
  await expect.poll(() => prisma.conversation.count(), { timeout: 10_000 }).toBe(1);
  expect(await prisma.conversation_item.count()).toBe(1);
});
