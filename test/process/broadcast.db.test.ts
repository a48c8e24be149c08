import { Webhook } from "standardwebhooks";
import { describe, expect, test, vi } from "vitest";
import { data } from "#contract/common.ts";
import { DestinationTest } from "#contract/destination.ts";
import { startS3 } from "#test/destinations/s3-server.ts";
import { chat, startBroadcasting } from "./broadcasting.ts";
import { answer } from "./rule-client.ts";

const { server, ours, sink, call, create, ask, deliveries, finished, spans } = await startBroadcasting();

describe("contents of traces", () => {
  test("a trace belongs to the caller's trace by traceparent, unless the body names one", async () => {
    const id = await create({});
    const [traceId, parent] = ["4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"];
    const headers = { traceparent: `00-${traceId}-${parent}-01` };
    const own = "0af7651916cd43dd8448eb211c80319c";
    for (const body of [chat, { ...chat, trace: { trace_id: own } }])
      expect((await server.post("/chat/completions", body, { key: ours.key, headers })).status).toBe(200);
    const none = { headers: { traceparent: `00-${"0".repeat(32)}-${parent}-01` }, key: ours.key };
    expect((await server.post("/chat/completions", chat, none)).status).toBe(200);
    await finished(id, 3);
    const seen = spans();
    expect(seen.filter(({ traceId: one }) => one === traceId)).toMatchObject([{ parentSpanId: parent }]);
    expect(seen.filter(({ traceId: one }) => one === own)).not.toEqual([]);
    expect(new Set(seen.map(({ traceId: one }) => one)).size).toBe(3);
  });

  test.each(["http/json", "http/protobuf"])("over %s it is the trace of the generation", async (protocol) => {
    const id = await create({ config: { endpoint: sink.origin, protocol, headers: { "x-team": "blue" } } });
    const generation = await ask({
      ...chat,
      temperature: 0.5,
      max_tokens: 20,
      user: "ada",
      session_id: "s-1",
      metadata: { ticket: "42" },
      trace: { trace_id: "0AF7651916CD43DD8448EB211C80319C", trace_name: "Support", stage: "beta" },
    });
    expect(await finished(id, 1)).toMatchObject([
      { generation_id: generation, status: "delivered", content: "sent", attempts: 1, response_code: 200 },
    ]);
    expect(sink.seen).toMatchObject([{ method: "POST", url: "/v1/traces", headers: { "x-team": "blue" } }]);
    const [root, span] = spans();
    expect(root).toMatchObject({ name: "Support", traceId: "0af7651916cd43dd8448eb211c80319c", kind: 1 });
    expect(span).toMatchObject({ name: "chat sandbox/chat", parentSpanId: root?.spanId, kind: 3 });
    expect(span?.resource).toMatchObject({ "service.name": "portolan" });
    const record = await server.record(generation);
    expect(span?.attributes).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": record.provider,
      "gen_ai.request.model": "sandbox/chat",
      "gen_ai.request.temperature": 0.5,
      "gen_ai.usage.input_tokens": record.prompt_tokens,
      "gen_ai.usage.output_tokens": record.completion_tokens,
      "gen_ai.response.finish_reasons": [record.finish_reason],
      "gen_ai.conversation.id": "s-1",
      "user.id": "ada",
      "trace.metadata.ticket": "42",
      "trace.metadata.stage": "beta",
      "gateway.api_key.name": "Test key",
    });
    expect(Number(span?.attributes["gen_ai.usage.cost_eur"])).toBeCloseTo(
      Number(record.cost_pico_eur) / 1e12,
      12,
    );
    expect(JSON.parse(String(span?.attributes["gen_ai.input.messages"]))).toEqual([
      { role: "user", parts: [{ type: "text", content: "Name a river of Europe." }] },
    ]);
    const [said] = JSON.parse(String(span?.attributes["gen_ai.output.messages"]));
    expect(said).toMatchObject({ role: "assistant", finish_reason: record.finish_reason });
    expect(said.parts[0].content.length).toBeGreaterThan(3);
  });

  test("a streamed answer, a text completion and a ranking include their content too", async () => {
    const id = await create({});
    await ask({ ...chat, stream: true });
    await ask({ model: "sandbox/chat", prompt: "Once", max_tokens: 8 });
    await ask({ model: "sandbox/rerank", query: "river", documents: ["Rhine", "Alps"] });
    await ask({ model: "sandbox/chat", input: "Why?", instructions: "Be kind." });
    await ask({ model: "sandbox/chat", input: "Why not?", stream: true });
    await ask({ model: "sandbox/embed", input: ["Elbe"] });
    await finished(id, 6);
    const byOperation = Object.fromEntries(
      spans().map(({ attributes }) => [attributes["gen_ai.operation.name"], attributes]),
    );
    for (const name of ["chat", "text_completion", "rerank"]) {
      const [said] = JSON.parse(String(byOperation[name]?.["gen_ai.output.messages"]));
      expect(said.parts[0].content.length).toBeGreaterThan(3);
    }
    expect(String(byOperation.embeddings?.["gen_ai.input.messages"])).toContain("Elbe");
    for (const text of ["Why?", "Why not?", "Be kind."]) {
      expect(JSON.stringify(spans().map(({ attributes }) => attributes["gen_ai.input.messages"]))).toContain(
        text,
      );
    }
    expect(spans().filter(({ attributes }) => attributes["gen_ai.output.messages"] === "[]")).toHaveLength(1);
    expect(String(byOperation.rerank?.["gen_ai.input.messages"])).toContain("Rhine");
  });

  test("a webhook is signed according to Standard Webhooks, with both secrets during a change", async () => {
    const secretOf = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString("base64")}`;
    const config = {
      url: `${sink.origin}/hook`,
      signingSecret: secretOf(1),
      previousSigningSecret: secretOf(2),
    };
    const id = await create({ type: "webhook", config: { ...config, apiKey: "bearer-key" } });
    await ask(chat);
    const [delivery] = await finished(id, 1);
    const [got] = sink.seen;
    expect(got?.headers).toMatchObject({ authorization: "Bearer bearer-key", "webhook-id": delivery?.id });
    for (const byte of [1, 2]) {
      const verified = new Webhook(secretOf(byte)).verify(
        got?.body ?? "",
        got?.headers as Record<string, string>,
      );
      expect(verified).toHaveProperty("resourceSpans");
    }
    const stranger = new Webhook(secretOf(3));
    expect(() => stranger.verify(got?.body ?? "", got?.headers as Record<string, string>)).toThrow();
  });

  test("an S3 server gets one object per generation, under a path with its key's name", async () => {
    const s3 = await startS3();
    const id = await create({ type: "s3", config: s3.config });
    const tried = (await answer(data(DestinationTest), await call("POST", `/${id}/test`))).data;
    expect(tried.success).toBe(true);
    const generations = [await ask(chat), await ask({ ...chat, user: "ada" })];
    const delivered = await finished(id, 2);
    expect(delivered.map(({ status }) => status)).toEqual(["delivered", "delivered"]);
    const objects = s3.objects();
    expect(objects).toHaveLength(2);
    for (const name of objects)
      expect(name).toMatch(/^traces-bucket\/llm\/\d{4}\/\d{2}\/Test_key\/[0-9a-f]{32}-/);
    const texts = objects.map((name) => JSON.stringify(s3.read(name)));
    for (const generation of generations)
      expect(texts.filter((text) => text.includes(generation))).toHaveLength(1);
    expect(texts.every((text) => text.includes("Name a river of Europe."))).toBe(true);
  });

  test("images are mentioned, but neither they nor their addresses are sent or fetched", async () => {
    const id = await create({});
    const picture = `data:image/png;base64,${Buffer.alloc(300, 7).toString("base64")}`;
    const content = [
      { type: "text", text: "What is this?" },
      { type: "image_url", image_url: { url: picture } },
      { type: "image_url", image_url: { url: `${sink.origin}/private.png` } },
    ];
    await ask({ ...chat, messages: [{ role: "user", content }] });
    await finished(id, 1);
    const [span] = spans();
    const [message] = JSON.parse(String(span?.attributes["gen_ai.input.messages"]));
    expect(message.parts).toEqual([
      { type: "text", content: "What is this?" },
      { type: "media", media_type: "image/png", bytes: 300 },
      { type: "media", media_type: "image_url", bytes: null },
    ]);
    expect(sink.seen).toHaveLength(1);
    expect(sink.seen[0]?.body.includes("private.png")).toBe(false);
  });
});

describe("what is stored", () => {
  const secretText = "Zwetschgenknoedel";
  const stored = async () => {
    const rows = await server.services.database.prisma.destination_delivery.findMany();
    return rows.map(({ payload, ...row }) => ({ row: JSON.stringify(row), payload }));
  };

  test("in privacy mode no content is stored or sent, only counts and cost", async () => {
    const id = await create({ privacy_mode: true });
    sink.reply = () => ({ status: 503 });
    await ask({ ...chat, messages: [{ role: "user", content: secretText }], metadata: { a: "b" } });
    await server.services.billing.drain();
    await vi.waitFor(() => expect(sink.seen.length).toBeGreaterThan(0), { timeout: 10_000 });
    const { sealer } = server.services;
    const [row] = await server.services.database.prisma.destination_delivery.findMany();
    const place = {
      table: "destination_delivery",
      column: "payload",
      rowId: `${row?.generation_id}:private`,
      orgId: ours.orgId,
    };
    expect(JSON.parse(sealer.open(row?.payload ?? "", place))).toMatchObject({ content: null });
    expect((await deliveries(id))[0]).toMatchObject({ content: "private", status: "pending" });
    const [span] = spans();
    expect(span?.attributes).not.toHaveProperty("gen_ai.input.messages");
    expect(Number(span?.attributes["gen_ai.usage.input_tokens"])).toBeGreaterThan(0);
    expect(JSON.stringify(span)).not.toContain(secretText);
  });

  test("pending content is sealed; delivered content is deleted", async () => {
    const id = await create({});
    sink.reply = () => ({ status: 503 });
    await ask({ ...chat, messages: [{ role: "user", content: secretText }] });
    await server.services.billing.drain();
    await vi.waitFor(() => expect(sink.seen.length).toBeGreaterThan(0), { timeout: 10_000 });
    for (const { row, payload } of await stored()) expect(row + payload).not.toContain(secretText);
    sink.reply = () => ({ status: 200 });
    expect((await call("PATCH", `/${id}`, { enabled: true })).status).toBe(200);
    await server.services.database.prisma.destination_delivery.updateMany({
      data: { due_at: "2026-01-01T00:00:00Z" },
    });
    await call("PATCH", `/${id}`, { enabled: true });
    await finished(id, 1);
    expect(await stored()).toMatchObject([{ payload: null }]);
  });

  test.each([
    ["eu", "de", "sent"],
    ["eu", "us", "residency"],
    ["eu", null, "residency"],
    ["de", "eu", "residency"],
    [null, null, "sent"],
  ])(
    "for a request restricted to %s, content and personal data for a destination in %s are: %s",
    async (preference, place, content) => {
      const id = await create({ residency: place });
      const person = {
        user: "Ada-1",
        session_id: "Ada-2",
        metadata: { ticket: "Ada-3" },
        trace: { trace_name: "Ada-4" },
      };
      await ask({ ...chat, ...person, ...(preference && { provider: { data_residency: preference } }) });
      expect(await finished(id, 1)).toMatchObject([{ status: "delivered", content }]);
      const span = spans().at(-1);
      expect("gen_ai.input.messages" in (span?.attributes ?? {})).toBe(content === "sent");
      const sent = Buffer.concat(sink.seen.map(({ body }) => body)).toString();
      for (const fact of ["Ada-1", "Ada-2", "Ada-3", "Ada-4", "Test key", ours.keyId])
        expect(sent.includes(fact), fact).toBe(content === "sent");
      expect(span?.attributes).toMatchObject({ "gen_ai.request.model": "sandbox/chat" });
    },
  );
});
