import { expect, test, vi } from "vitest";
import type { Erasure, SubjectExport } from "#contract/data-subjects.ts";
import { generationIdOf } from "#contract/generation-id.ts";
import type { GenerationReceipt } from "#contract/transparency-log.ts";
import { generationIdOf as generationOfResponse } from "#server/inference/operations/responses/response-object.ts";
import { readPublicKey, verifyReceipt } from "../../scripts/verify.mjs";
import { startTestServer } from "./server.ts";

const server = await startTestServer({ settings: { ALLOW_PRIVATE_DESTINATIONS: "127.0.0.1" } });
const { services, post, send } = server;
const { prisma } = services.database;
const [ada, grace] = ["ada-canary@example.eu", "grace@example.eu"];
const secretOf = (user: string) => `the-secret-of-${user}`;

async function ok<T>(response: Response): Promise<T> {
  const text = await response.text();
  expect(response.status, text).toBeLessThan(300);
  return JSON.parse(text) as T;
}

await ok(await send("PUT", "/tags", { body: JSON.stringify({ tags: ["end_user"] }) }));
// Nobody listens there, so traces wait.
const config = { endpoint: "http://127.0.0.1:9", headers: {} };
await ok(await post("/broadcast-destinations", { type: "otel-collector", name: "Away", config }));
const conversation = (await ok<{ id: string }>(await post("/conversations", {}))).id;

/** A stored response in a conversation, and a stored chat completion, of an end user. */
async function talk(user: string): Promise<{ readonly response: string; readonly completion: string }> {
  const say = `Remember ${secretOf(user)}.`;
  const own = { model: "sandbox/chat", user, session_id: `session-${user}` };
  const response = await ok<{ id: string }>(
    await post("/responses", { ...own, input: say, conversation, max_output_tokens: 4 }),
  );
  const messages = [{ role: "user", content: say }];
  const completion = await ok<{ id: string }>(
    await post("/chat/completions", { ...own, messages, store: true, max_tokens: 4 }),
  );
  return { response: response.id, completion: completion.id };
}

const [ofAda, ofGrace] = [await talk(ada), await talk(grace)];
await services.responses.responseSpool.flushed();
await services.responses.completionSpool.flushed();
await services.billing.drain();

/** The generation of an answer. */
const idOf = (id: string): string =>
  (id.startsWith("resp_") ? generationOfResponse(id) : generationIdOf(id)) ?? "";

/** All text of the database, except the seals, which nobody can read. */
async function databaseText(): Promise<string> {
  const tables = await prisma.$queryRaw<{ name: string }[]>`
    select table_schema || '.' || table_name as name from information_schema.tables
    where table_schema in ('public', 'jobs') and table_type = 'BASE TABLE'`;
  const texts = await Promise.all(
    tables.map(({ name }) =>
      services.database.statement<{ text: string | null }>(
        `select string_agg(to_jsonb(t)::text, ' ') as text from ${name} as t`,
        [],
      ),
    ),
  );
  return texts.map(([row]) => row?.text ?? "").join("\n");
}

const everyPage = async (user: string) => {
  const found: SubjectExport["data"] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const page: SubjectExport = await ok(
      await post("/data-subjects/export", { end_user: user, limit: 1, ...(after && { after }) }),
    );
    found.push(...page.data);
    after = page.next;
  }
  return found;
};

const erased = async (body: object): Promise<Erasure> => {
  const { data } = await ok<{ data: Erasure }>(await post("/erasures", { end_user: ada, ...body }));
  return vi.waitFor(async () => {
    const { data: now } = await ok<{ data: Erasure }>(await send("GET", `/erasures/${data.id}`));
    expect(now.status).toBe("done");
    return now;
  }, 10_000);
};

const receiptOf = async (id: string) => {
  await services.transparency.sequencer.run();
  const receipt = await ok<GenerationReceipt>(await send("GET", `/generations/${idOf(id)}/receipt`));
  return verifyReceipt(
    receipt,
    receipt.public_keys.map((key) => readPublicKey(key)),
  );
};

const itemsText = async () => (await send("GET", `/conversations/${conversation}/items`)).text();

test("what is stored about an end user is exported with prompts and answers, and only that", async () => {
  const found = await everyPage(ada);
  expect(found.map(({ id }) => id).toSorted()).toEqual(
    [ofAda.response, ofAda.completion].map(idOf).toSorted(),
  );
  for (const { content, end_user } of found) {
    expect(end_user).toBe(ada);
    expect(JSON.stringify(content?.input)).toContain(secretOf(ada));
    expect(content?.output).toHaveLength(1);
  }
  expect(JSON.stringify(found)).not.toContain(grace);
});

test("after an erasure nothing is left of them, receipts are valid, and others have everything", async () => {
  expect(await databaseText()).toContain(ada);
  const before = await receiptOf(ofAda.response);
  expect(before.fields.user_reference).toBe(ada);
  const dry = await erased({});
  expect(dry.counts).toMatchObject({
    ...{ requests: 2, personal_records: 2, stored_responses: 1, stored_chat_completions: 1 },
    ...{ conversation_items: 2, pending_traces: 2, usage_rows: 1 },
  });
  expect((await send("GET", `/responses/${ofAda.response}`)).status).toBe(200);

  const done = await erased({ dry_run: false });
  expect(done.counts).toEqual(dry.counts);
  expect((await send("GET", `/responses/${ofAda.response}`)).status).toBe(404);
  expect((await send("GET", `/chat/completions/${ofAda.completion}`)).status).toBe(404);
  expect(await itemsText()).not.toContain(secretOf(ada));
  expect(await everyPage(ada)).toEqual([]);
  expect(await databaseText()).not.toContain(ada);
  const deliveries = await prisma.destination_delivery.findMany({
    where: { generation_id: { in: [ofAda.response, ofAda.completion].map(idOf) } },
  });
  expect(deliveries.map(({ status, payload }) => [status, payload])).toEqual([
    ["dropped", null],
    ["dropped", null],
  ]);

  const after = await receiptOf(ofAda.response);
  expect(after.fields.user_reference).toBeUndefined();
  expect(after.index).toBe(before.index);
  expect((await receiptOf(ofGrace.response)).fields.user_reference).toBe(grace);
  expect((await send("GET", `/responses/${ofGrace.response}`)).status).toBe(200);
  expect((await send("GET", `/chat/completions/${ofGrace.completion}`)).status).toBe(200);
  expect(await itemsText()).toContain(secretOf(grace));
});

test("the erasure of a key deletes what was stored with it", async () => {
  const { api_key_id: id } = await prisma.generation.findFirstOrThrow();
  const { counts } = await erased({ end_user: undefined, api_key_id: id, dry_run: false });
  expect(counts).toMatchObject({ stored_responses: 1, stored_chat_completions: 1, conversations: 1 });
  expect((await send("GET", `/responses/${ofGrace.response}`)).status).toBe(404);
  expect((await send("GET", `/conversations/${conversation}`)).status).toBe(404);
  expect(await prisma.generation.count({ where: { user_reference: grace } })).toBe(0);
  expect((await receiptOf(ofGrace.response)).fields.user_reference).toBeUndefined();
});

test.each([
  [{}, "end_user", "exactly one"],
  [{ end_user: ada, user_id: "018f0000-0000-7000-8000-000000000001" }, "user_id", "exactly one"],
  [{ end_user: "" }, "end_user", "must not be empty"],
  [{ api_key_id: "x" }, "api_key_id", "must be a UUID"],
  [{ end_user: ada, dry_run: "no" }, "dry_run", "boolean"],
])("an erasure of %j is refused, and the error names the field", async (body, param, text) => {
  const response = await post("/erasures", body);
  expect(response.status).toBe(400);
  const { error } = (await response.json()) as { error: { param: string; message: string } };
  expect(error.param).toBe(param);
  expect(error.message).toContain(text);
});
