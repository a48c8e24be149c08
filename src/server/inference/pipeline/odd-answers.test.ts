import type { ServerResponse } from "node:http";
import { beforeEach, describe, expect, test } from "vitest";
import { ChatCompletion } from "#contract/chat.ts";
import { ResponseObject } from "#contract/response-object.ts";
import { endpoint, model, price, provider } from "#test/catalogues.ts";
import { upstreamOfFile } from "#test/dialects/file-upstream.ts";
import {
  asked,
  choice,
  head,
  type Odd,
  oddMessages,
  rejected,
  repaired,
  said,
  usage,
} from "#test/dialects/odd-messages.ts";
import { inferenceOver } from "#test/inference.ts";
import { asking, hear, type OperationName, operationNames } from "#test/operations.ts";
import { createUpstreams } from "./upstreams.ts";

const { upstream, outbound } = await upstreamOfFile();

type Api = "chat" | "completions" | "responses";

let odd: Odd = { complete: {}, events: [] };

const item = { type: "message", id: "msg_1", role: "assistant", status: "completed" };
const output = [{ ...item, content: [{ type: "output_text", text: "Hello", annotations: [] }] }];
const completed = (items: readonly unknown[]) => ({
  id: "resp_1",
  object: "response",
  status: "completed",
  error: null,
  output: items,
  usage: { input_tokens: 5, output_tokens: 3, total_tokens: 8 },
});
/** One item of a response, complete and streamed. */
const responded = (one: unknown): Odd => ({
  complete: completed([one]),
  events: [
    { type: "response.output_item.done", output_index: 0, item: one },
    { type: "response.completed", response: completed([]) },
  ],
});

const good: Record<Api, Odd> = {
  chat: said({ content: "Hello" }),
  completions: {
    complete: { ...head, choices: [choice({ text: "Hello", finish_reason: "stop" })], usage },
    events: [
      { ...head, choices: [choice({ text: "Hello" })] },
      { ...head, choices: [choice({ text: "", finish_reason: "stop" })] },
    ],
  },
  responses: { complete: completed(output), events: [...responded(output[0]).events] },
};

function answer(response: ServerResponse, { complete, events }: Odd, streamed: boolean): void {
  response.writeHead(200, { "content-type": streamed ? "text/event-stream" : "application/json" });
  if (!streamed) return void response.end(JSON.stringify(complete));
  const frames = events.map((event) => `data: ${JSON.stringify(event)}\n\n`);
  response.end(`${frames.join("")}data: [DONE]\n\n`);
}

/** A provider with odd answers that is tried first, and a good one after it. */
function twoProviders(kind: string, api: Api) {
  upstream.answer = (response, { path, body }) => {
    const streamed = (body as { stream?: boolean }).stream === true;
    answer(response, path.startsWith("/odd") ? odd : good[api], streamed);
  };
  const at = (slug: string, figure: string) =>
    endpoint(
      provider(slug, { kind, baseUrl: `${upstream.origin}/${slug}/v2` }),
      model("m/x", { supportedParameters: [] }),
      { apis: new Set([api]), price: price(figure) },
    );
  return inferenceOver(
    [at("odd", "1"), at("good", "2")],
    createUpstreams(
      new Map([
        ["odd", "key"],
        ["good", "key"],
      ]),
    ),
    outbound,
  );
}

beforeEach(() => {
  upstream.received.length = 0;
});

/** The result of an odd answer: repaired, or that of the good provider after a rejection. */
async function heardOf(operation: OperationName, stream: boolean, kind: string, api: Api = "chat") {
  const { deps, learned } = twoProviders(kind, api);
  const {
    done: _,
    finish: __,
    ...heard
  } = await hear(operation, deps, { stream, provider: { sort: "price" } });
  expect(learned.final).toMatchObject([{ status: "completed" }]);
  return { rejected: learned.final[0]?.provider === "good", ...heard };
}

/** A text completion does not support tool calls, and has refusals as text. */
const inCompletion = (expected: ReturnType<typeof repaired>) => {
  if (expected.calls.length > 0) return rejected;
  return { ...expected, text: expected.text + expected.refusal, refusal: "" };
};

describe("an odd message is repaired or rejected, complete and streamed alike, for every operation", () => {
  test.each(Object.entries(oddMessages))("%s", async (_, [sent, expected]) => {
    odd = sent;
    for (const kind of ["openai-compatible", "cohere"])
      for (const stream of [false, true])
        for (const operation of operationNames) {
          const wanted = operation === "completions" ? inCompletion(expected) : expected;
          const where = `/${operation} by ${kind}${stream ? ", streamed" : ""}`;
          // Cohere's chat API is beside the address of its own API.
          if (kind === "cohere") expect(await heardOf(operation, stream, kind), where).toMatchObject(wanted);
          else expect(await heardOf(operation, stream, kind), where).toEqual(wanted);
        }
  });
});

/** A package reads the first choice only, whatever its number. */
const ofOneChoice = new Set(["two choices", "a choice with another's number"]);
const read = Object.entries(oddMessages).filter(([name]) => !ofOneChoice.has(name));

describe.each(["azure", "mistral"])("a package's reading of %s", (kind) => {
  // Mistral's answers have no refusals.
  const known = read.filter(([name]) => kind !== "mistral" || name !== "a refusal");
  test.each(known)("is repaired or rejected, and never empty: %s", async (_, [sent, expected]) => {
    odd = sent;
    for (const stream of [false, true])
      for (const operation of operationNames) {
        const heard = await heardOf(operation, stream, kind);
        const wanted = operation === "completions" ? inCompletion(expected) : expected;
        // A package may know fewer of these forms than we do.
        if (heard.rejected) expect(heard).toEqual(rejected);
        else {
          const where = `/${operation}${stream ? ", streamed" : ""}`;
          expect(heard.text + heard.refusal, where).toBe(wanted.text + wanted.refusal);
          expect(heard.calls, where).toEqual(wanted.calls);
        }
      }
  });
});

const textOf = (text: unknown): Odd => ({
  complete: { ...head, choices: [choice({ text, finish_reason: "stop" })] },
  events: [
    { ...head, choices: [choice({ text })] },
    { ...head, choices: [choice({ text: "", finish_reason: "stop" })] },
  ],
});

test.each([
  ["a text in parts", textOf([{ type: "text", text: "Hi" }]), repaired({ text: "Hi" })],
  ["a number", textOf(42), rejected],
])("an odd text completion is repaired or rejected: %s", async (_, sent, expected) => {
  odd = sent;
  for (const stream of [false, true])
    expect(await heardOf("completions", stream, "openai-compatible", "completions")).toEqual(expected);
});

const functionCall = (own: object) =>
  responded({
    type: "function_call",
    id: "fc_1",
    call_id: "call_1",
    name: "weather",
    arguments: "{}",
    ...own,
  });

test.each([
  ["arguments as an object", functionCall({ arguments: { city: "Paris" } }), asked('{"city":"Paris"}')],
  ["a call without an id", functionCall({ call_id: null }), asked("{}")],
  ["a call without a name", functionCall({ name: null }), rejected],
  ["content as a text", responded({ ...item, content: "Hi" }), repaired({ text: "Hi" })],
  [
    "a text in parts",
    responded({ ...item, content: [{ type: "output_text", text: [{ text: "Hi" }] }] }),
    repaired({ text: "Hi" }),
  ],
  ["content of a number", responded({ ...item, content: 42 }), rejected],
  ["an item that is null", responded(null), rejected],
  ["an item without a type", responded({}), rejected],
])("an odd item of a response is repaired or rejected: %s", async (_, sent, expected) => {
  odd = sent;
  for (const stream of [false, true])
    expect(await heardOf("responses", stream, "openai-compatible", "responses")).toEqual(expected);
});

test("a repaired answer matches its schema", async () => {
  const { deps } = twoProviders("openai-compatible", "chat");
  for (const [name, [sent]] of Object.entries(oddMessages)) {
    odd = sent;
    const chat = await asking.chat(deps, {});
    expect(ChatCompletion.safeParse(chat.body).error, name).toBeUndefined();
    const response = await asking.responses(deps, {});
    expect(ResponseObject.safeParse(response.body).error, name).toBeUndefined();
  }
});
