import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import OpenAI from "openai";
import { describe, expect, test, vi } from "vitest";
import { createOrganisation } from "#test/factories.ts";
import { startOwnUpstream } from "./own-upstream.ts";
import { startTestServer } from "./server.ts";

const own = await startOwnUpstream();
const server = await startTestServer(own);
const { client, send, services } = server;
const { prisma } = services.database;

const ask = (body: object) =>
  client.responses.create({
    model: "own/chat",
    input: "Say hello to Europe.",
    max_output_tokens: 8,
    ...body,
  });

const uuidOf = (id: string): string =>
  id.slice("resp_".length, "resp_".length + 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");

/** What the upstream was asked, by the response it was asked for. */
const messagesOf = (id: string) => own.askedFor(uuidOf(id)).messages;

const stranger = await createOrganisation(services.database);
await services.refreshSnapshot();
const strange = new OpenAI({ baseURL: `${server.origin}/api/v1`, apiKey: stranger.key, maxRetries: 0 });

describe("a stored response", () => {
  test("is returned as it was answered, streamed or not, and is only sealed in the database", async () => {
    const complete = await ask({ metadata: { project: "atlas" }, input: "The secret word is zanzibar." });
    expect(await client.responses.retrieve(complete.id)).toEqual(complete);
    const streamed = await client.responses
      .stream({ model: "own/chat", input: "Stream it.", max_output_tokens: 8 })
      .finalResponse();
    expect((await client.responses.retrieve(streamed.id)).output_text).toBe(streamed.output_text);
    const rows = JSON.stringify(await prisma.stored_response.findMany());
    expect(rows).not.toContain("zanzibar");
    expect(rows).not.toContain("atlas");
  });

  test("is not stored if the request says so", async () => {
    const { id } = await ask({ store: false });
    await expect(client.responses.retrieve(id)).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    await expect(ask({ previous_response_id: id })).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  });

  test("is continued with everything before it, except the instructions", async () => {
    const first = await ask({ input: "I am Ada.", instructions: "Speak like a pirate." });
    const second = await ask({ input: "Who am I?", previous_response_id: first.id });
    const third = await ask({ input: "And now?", previous_response_id: second.id });
    expect(third.previous_response_id).toBe(second.id);
    expect(messagesOf(third.id)).toEqual([
      { role: "user", content: "I am Ada." },
      { role: "assistant", content: first.output_text },
      { role: "user", content: "Who am I?" },
      { role: "assistant", content: second.output_text },
      { role: "user", content: "And now?" },
    ]);
    expect(third.usage?.input_tokens).toBeGreaterThan(second.usage?.input_tokens ?? 0);
  });

  test("can be referenced by the ids of its items", async () => {
    const first = await ask({});
    const { id } = await ask({
      input: [
        { type: "item_reference", id: first.output[0]?.id ?? "" },
        { role: "user", content: "More." },
      ],
    });
    expect(messagesOf(id)).toEqual([
      { role: "assistant", content: first.output_text },
      { role: "user", content: "More." },
    ]);
    await expect(ask({ input: [{ type: "item_reference", id: "msg_nothing" }] })).rejects.toMatchObject({
      status: 404,
      param: "input.0.id",
    });
  });

  test("lists its input items, page by page, in both orders", async () => {
    const first = await ask({ input: "One." });
    const second = await ask({ input: "Two.", previous_response_id: first.id });
    const all = await client.responses.inputItems.list(second.id, { order: "asc" });
    expect(all.data.map(({ type }) => type)).toEqual(["message", "message", "message"]);
    expect(all.has_more).toBe(false);
    const ids: unknown[] = [];
    for await (const item of client.responses.inputItems.list(second.id, { limit: 1 })) ids.push(item.id);
    expect(ids).toEqual(all.data.map(({ id }) => id).reverse());
  });

  test("supports OpenAI's values of include, and no others", async () => {
    const { id, ...complete } = await ask({});
    const include = ["reasoning.encrypted_content", "message.output_text.logprobs"] as const;
    expect(await client.responses.retrieve(id, { include: [...include] })).toEqual({ id, ...complete });
    expect((await client.responses.inputItems.list(id, { include: [...include] })).data).toHaveLength(1);
    expect((await send("GET", `/responses/${id}?include=${include[0]}`)).status).toBe(200);
    for (const path of ["", "/input_items"])
      for (const query of [
        "include[]=nothing",
        `include[]=${include[0]}&include[]=x`,
        "stream=true&include=x",
      ])
        expect(await (await send("GET", `/responses/${id}${path}?${query}`)).json()).toMatchObject({
          error: { code: "BAD_REQUEST", param: "include" },
        });
  });

  test("is gone when it was deleted, with every conversation that builds on it, and the audit knows", async () => {
    const first = await ask({});
    const second = await ask({ previous_response_id: first.id });
    expect(await client.responses.delete(first.id)).toMatchObject({ id: first.id, deleted: true });
    await expect(client.responses.retrieve(first.id)).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    await expect(ask({ previous_response_id: second.id })).rejects.toMatchObject({
      status: 404,
      message: expect.stringContaining("was deleted or has expired"),
    });
    const entry = await prisma.audit_entry.findFirst({ where: { subject_id: first.id } });
    expect(entry?.action).toBe("response.delete");
  });

  test("of somebody else answers every question like one that never was", async () => {
    const { id } = await ask({});
    const never = `resp_${"0".repeat(48)}`;
    const paths: [string, string][] = [
      ["GET", ""],
      ["DELETE", ""],
      ["POST", "/cancel"],
      ["GET", "/input_items"],
      ["GET", "?stream=true"],
    ];
    for (const [method, rest] of paths) {
      const bodies = await Promise.all(
        [id, never].map(async (one) => {
          const body = method === "POST" ? "{}" : undefined;
          const response = await send(method, `/responses/${one}${rest}`, { key: stranger.key, body });
          const { error } = (await response.json()) as { error: unknown };
          return { status: response.status, error };
        }),
      );
      expect(bodies[0]).toEqual(bodies[1]);
      expect(bodies[0]?.status).toBe(404);
    }
    await expect(
      strange.responses.create({ model: "sandbox/chat", input: "x", previous_response_id: id }),
    ).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  });

  test("expires", async () => {
    const { id } = await ask({});
    const row = { id: uuidOf(id) };
    await client.responses.retrieve(id);
    await prisma.stored_response.update({ where: row, data: { expires_at: new Date(0) } });
    await expect(client.responses.retrieve(id)).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    await services.queue.enqueue(null, "expired-responses", {});
    services.queue.wake("expired-responses");
    await vi.waitFor(
      async () => expect(await prisma.stored_response.findUnique({ where: row })).toBeNull(),
      10_000,
    );
  });

  test("leaves no file behind once the database has it", async () => {
    const { id } = await ask({});
    await client.responses.retrieve(id);
    const directory = join(services.config.dataDir, "responses");
    expect(existsSync(directory)).toBe(true);
    await vi.waitFor(() => expect(readdirSync(directory)).toEqual([]), 5_000);
  });
});

const ended = new Set(["completed", "incomplete", "failed", "cancelled"]);
const polled = (id: string) =>
  vi.waitFor(async () => {
    const response = await client.responses.retrieve(id);
    expect(ended).toContain(response.status);
    return response;
  }, 15_000);

describe("a response in the background", () => {
  test("is answered at once as queued, then polled to its end, and billed once", async () => {
    const queued = await ask({ background: true });
    expect(queued).toMatchObject({ status: "queued", background: true, output: [], usage: null });
    const done = await polled(queued.id);
    expect(done).toMatchObject({ status: "incomplete", usage: { output_tokens: 8 } });
    const row = await server.record(uuidOf(queued.id));
    expect(row).toMatchObject({ operation: "responses", completion_tokens: 8, status: "completed" });
    const transfers = await prisma.ledger_transfer.findMany({ where: { id: row.id } });
    expect(transfers).toHaveLength(1);
  });

  test("can be streamed, left, and taken up again behind any event", async () => {
    const stream = await client.responses.create({
      model: "own/chat",
      input: "Count.",
      max_output_tokens: 8,
      background: true,
      stream: true,
    });
    const events: OpenAI.Responses.ResponseStreamEvent[] = [];
    for await (const event of stream) events.push(event);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, at) => at));
    expect(events.slice(0, 3).map(({ type }) => type)).toEqual([
      "response.created",
      "response.queued",
      "response.in_progress",
    ]);
    const last = events.at(-1);
    expect(last?.type).toBe("response.incomplete");
    const id = last?.type === "response.incomplete" ? last.response.id : "";
    const again = await client.responses.retrieve(id, { stream: true, starting_after: 4 });
    const rest: unknown[] = [];
    for await (const event of again) rest.push(event);
    expect(rest).toEqual(events.slice(5));
  });

  test("is cancelled permanently, and one that has ended is returned unchanged", async () => {
    const { id } = await ask({ model: "own/hangs", background: true, max_output_tokens: 4000 });
    await vi.waitFor(
      async () => expect((await client.responses.retrieve(id)).status).toBe("in_progress"),
      15_000,
    );
    expect((await client.responses.cancel(id)).status).toBe("cancelled");
    const row = await vi.waitFor(() => server.record(uuidOf(id)), 15_000);
    await vi.waitFor(async () => expect((await server.record(row.id)).status).toBe("cancelled"), 15_000);
    expect((await client.responses.cancel(id)).status).toBe("cancelled");
    expect((await client.responses.retrieve(id)).status).toBe("cancelled");
  });

  test("that no provider can answer fails with the reason; what cannot be routed is refused immediately", async () => {
    const { id } = await ask({ model: "own/down", background: true });
    expect(await polled(id)).toMatchObject({
      status: "failed",
      error: { code: "server_error" },
      error_type: "provider_unavailable",
    });
    await expect(ask({ model: "nobody/nothing", background: true })).rejects.toBeInstanceOf(
      OpenAI.NotFoundError,
    );
  });

  test("whose worker died has failed, and is not asked again", async () => {
    const { id } = await ask({ background: true });
    const row = { id: uuidOf(id) };
    await polled(id);
    await prisma.stored_response.update({ where: row, data: { status: "in_progress" } });
    await services.queue.enqueue(null, "background-response", row);
    services.queue.wake("background-response");
    expect(await polled(id)).toMatchObject({ status: "failed", error: { code: "server_error" } });
  });

  test("needs to be stored; one in the foreground cannot be cancelled", async () => {
    await expect(ask({ background: true, store: false })).rejects.toMatchObject({
      status: 400,
      param: "store",
    });
    const { id } = await ask({});
    await expect(client.responses.cancel(id)).rejects.toBeInstanceOf(OpenAI.BadRequestError);
  });
});
