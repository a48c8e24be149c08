import type OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { CompactedResponse } from "#contract/compaction.ts";
import { ErrorEnvelope } from "#contract/errors.ts";
import { createOrganisation } from "#test/factories.ts";
import { startOwnUpstream } from "./own-upstream.ts";
import { startTestServer } from "./server.ts";

const summary = "The largest port is Antwerp; the report is in reports/ports.csv.";
let status = "completed";
const own = await startOwnUpstream((response, { model }) => {
  const content = [{ type: "output_text", text: summary, annotations: [] }];
  const output = [{ id: "msg_1", type: "message", role: "assistant", status: "completed", content }];
  const usage = { input_tokens: 300, output_tokens: 20, total_tokens: 320 };
  const answer = { id: "resp_1", object: "response", created_at: 1, status, model, output, usage };
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
});
const server = await startTestServer(own);
const { client, post, services } = server;

const uuidOf = (id: string): string =>
  id.slice("resp_".length, "resp_".length + 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
const sentFor = ({ id }: { id: string }) => own.askedFor(uuidOf(id));

const input: OpenAI.Responses.ResponseInput = [
  { role: "user", content: "Which port is the largest of Belgium?" },
  { type: "function_call", call_id: "call_1", name: "ports", arguments: '{"country":"BE"}' },
  { type: "function_call_output", call_id: "call_1", output: "Antwerp, Zeebrugge" },
  { role: "assistant", content: "Antwerp." },
  { role: "user", content: "Write that down." },
];
const compact = (rest: object = {}) => client.responses.compact({ model: "own/native", input, ...rest });

/** The output of a compaction as the next input, as OpenAI's client describes it. */
const continued = ({ output }: OpenAI.Responses.CompactedResponse) =>
  output as OpenAI.Responses.ResponseInput;

describe("a compacted conversation through the unmodified openai client", () => {
  test("has the messages of the user and an encrypted summary of the rest, and can be continued by any model", async () => {
    const compacted = await compact({ instructions: "You know ports." });
    expect(CompactedResponse.parse(compacted)).toEqual(compacted);
    const textOf = (text: string) =>
      expect.objectContaining({ role: "user", content: [{ type: "input_text", text }] });
    expect(compacted.output).toEqual([
      textOf("Which port is the largest of Belgium?"),
      textOf("Write that down."),
      { id: expect.any(String), type: "compaction", encrypted_content: expect.any(String) },
    ]);
    expect(JSON.stringify(compacted)).not.toContain("ports.csv");

    const asked = JSON.stringify(sentFor(compacted));
    for (const part of ["You know ports.", "Zeebrugge", "Antwerp."]) expect(asked).toContain(part);
    expect(sentFor(compacted)).toMatchObject({ store: false });

    const next = await client.responses.create({
      ...{ model: "own/chat", max_output_tokens: 4 },
      input: [...continued(compacted), { role: "user", content: "Where is it?" }],
    });
    const { messages } = sentFor(next) as { messages: { role: string; content: unknown }[] };
    expect(messages.map(({ role }) => role)).toEqual(["user", "user", "user", "user"]);
    expect(JSON.stringify(messages[2])).toContain(summary);

    // A stored response that was continued from a summary has it when it is continued itself.
    const third = await client.responses.create({
      ...{ model: "own/chat", max_output_tokens: 4, input: "Thanks.", previous_response_id: next.id },
    });
    expect(JSON.stringify(sentFor(third).messages)).toContain(summary);
    const { data } = await client.responses.inputItems.list(third.id, { order: "asc" });
    expect(JSON.stringify(data)).not.toContain(summary);
  });

  test("can be compacted again, with its summary as part of the conversation", async () => {
    const first = await compact();
    const second = await compact({ input: [...continued(first), { role: "assistant", content: "Done." }] });
    expect(JSON.stringify(sentFor(second))).toContain("ports.csv");
    expect(second.output.map(({ type }) => type)).toEqual(["message", "message", "compaction"]);
  });

  test("includes a stored response, and is billed and recorded as any request", async () => {
    const stored = await client.responses.create({
      model: "own/chat",
      input: "I am Ada.",
      max_output_tokens: 4,
    });
    const compacted = await compact({ input: null, previous_response_id: stored.id });
    expect(JSON.stringify(sentFor(compacted))).toContain(stored.output_text);
    expect(compacted.usage).toMatchObject({ input_tokens: 300, output_tokens: 20 });
    await services.billing.drain();
    const record = await server.record(uuidOf(compacted.id));
    expect(record).toMatchObject({ operation: "responses", status: "completed", prompt_tokens: 300 });
    expect(record.cost_pico_eur).toBeGreaterThan(0n);
  });
});

async function refusal(response: Response) {
  const { error } = ErrorEnvelope.parse(await response.json());
  return [response.status, error.param];
}

describe("what is refused", () => {
  const foreign = { type: "compaction", id: "cmp_1", encrypted_content: "gAAAAA" };
  const message = { role: "user", content: "x" };

  test.each([
    [{ model: "own/native" }, [400, "input"]],
    [{ model: "own/native", input: [] }, [400, "input"]],
    [{ model: "own/native", input, stream: true }, [400, "stream"]],
    [
      { model: "own/native", input, image: { context_compression: "enabled" } },
      [400, "image.context_compression"],
    ],
    [{ model: "own/native", input: [message, foreign] }, [400, "input"]],
    [{ model: "own/native", previous_response_id: "resp_nothing" }, [404, "previous_response_id"]],
    [{ model: "own/native", input: "x".repeat(8 * 2 ** 20) }, [413, "input"]],
    [{ model: "no/such", input }, [404, "model"]],
  ])("a request that cannot be compacted names the field", async (body, expected) => {
    expect(await refusal(await post("/responses/compact", body))).toEqual(expected);
  });

  test("a summary of another organisation, or one that was changed, cannot be used", async () => {
    const compacted = await compact();
    const stranger = await createOrganisation(services.database);
    await services.refreshSnapshot();
    const next = { model: "own/chat", input: continued(compacted) };
    expect(await refusal(await post("/responses", next, { key: stranger.key }))).toEqual([400, "input"]);
    const changed = continued(compacted).map((item) =>
      item.type === "compaction" ? { ...item, encrypted_content: `${item.encrypted_content}x` } : item,
    );
    expect(await refusal(await post("/responses", { ...next, input: changed }))).toEqual([400, "input"]);
  });

  test("a summary that was cut off is an error", async () => {
    status = "incomplete";
    const response = await post("/responses/compact", { model: "own/native", input });
    status = "completed";
    expect(response.status).toBe(502);
  });
});
