import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { CatalogueFile } from "#contract/catalogue.ts";
import { endpoint, model, provider } from "#test/catalogues.ts";
import { at, type Dialect, type Scene, type Sent } from "#test/dialects/dialect.ts";
import { upstreamOfFile } from "#test/dialects/file-upstream.ts";
import { dialects } from "#test/dialects/index.ts";
import { openAi } from "#test/dialects/openai.ts";
import { refusedBy, strictTurns } from "#test/dialects/strict.ts";
import { inferenceOver } from "#test/inference.ts";
import { asking } from "#test/operations.ts";
import { createUpstreams } from "./upstreams.ts";

const { upstream, outbound } = await upstreamOfFile();

const shipped = CatalogueFile.parse(
  JSON.parse(readFileSync(new URL("../../../../prisma/seed/catalogue.json", import.meta.url), "utf8")),
).providers;

type Message = Record<string, unknown>;
const usage = { prompt: 5, cacheRead: 0, completion: 3, reasoning: 0 };
const scenes: Readonly<Record<string, Scene>> = {
  words: { reasoning: ["Hm."], text: ["Hello"], call: null, usage },
  "a call": {
    reasoning: ["Hm."],
    text: [],
    call: { id: "call12345", name: "weather", input: ["{}"] },
    usage,
  },
  silence: { reasoning: ["Hm."], text: [""], call: null, usage },
};
const tools = [
  { type: "function", function: { name: "weather", parameters: { type: "object", properties: {} } } },
];

const sends = ({ type, body }: Sent, response: ServerResponse) =>
  response.writeHead(200, { "content-type": type }).end(body);

/** Strict providers: those of the shipped catalogue that are marked so, and every kind with a strict package. */
const strict: readonly (readonly [name: string, dialect: Dialect])[] = Object.keys(strictTurns).map(
  (name) => [name, dialects.find(({ kind }) => kind === name) ?? openAi],
);

/** Inference over one provider: with the facts of the shipped one of that name, if there is one. */
function over(name: string, { kind, basePath, credential }: Dialect) {
  const { message_fields: fields = null } = shipped.find(({ slug }) => slug === name) ?? {};
  const theirs = endpoint(
    provider("theirs", {
      kind,
      baseUrl: upstream.origin + basePath,
      messageFields: fields && new Set(fields),
    }),
    model("m/x", { supportedParameters: [] }),
    { upstreamModel: "model-of-theirs", apis: new Set(["chat"]) },
  );
  return inferenceOver([theirs], createUpstreams(new Map([["theirs", credential]])), outbound).deps;
}

/** Members that clients add to an answer before they send it back, as OpenAI's does. */
const asClientsDo = (message: Message): Message => ({
  ...message,
  refusal: message.refusal ?? null,
  parsed: null,
  annotations: [],
  ...(Array.isArray(message.tool_calls) && {
    tool_calls: message.tool_calls.map((call: Message, index) => ({
      ...call,
      index,
      function: { ...(call.function as Message), parsed_arguments: null },
    })),
  }),
});

const odd: Readonly<Record<string, Message>> = {
  "a refusal": { role: "assistant", content: null, refusal: "No." },
  "thoughts alone": { role: "assistant", content: null, reasoning: "Hm." },
  "all there is": {
    role: "assistant",
    content: "Hi",
    reasoning: "Hm.",
    reasoning_details: [],
    images: [],
    audio: null,
    function_call: null,
  },
};

async function answersOf(dialect: Dialect): Promise<Message[]> {
  const answers: Message[] = [];
  for (const scene of Object.values(scenes)) {
    upstream.answer = (response) => void sends(dialect.complete(scene), response);
    const { body } = await asking.chat(over(dialect.kind, dialect), { tools });
    const [choice] = (body as { choices: { message: Message }[] }).choices;
    if (choice) answers.push(choice.message);
  }
  return answers;
}

test("an answer of any provider has no null members except its content", async () => {
  for (const dialect of dialects)
    for (const message of await answersOf(dialect)) {
      const nulls = Object.entries(message).filter(([, value]) => value === null);
      expect(
        nulls.map(([name]) => name).filter((name) => name !== "content"),
        dialect.kind,
      ).toEqual([]);
    }
});

test.each(strict)(
  "an answer that a client sends back is accepted by %s, from any provider",
  async (name, dialect) => {
    const said: Message[] = [];
    for (const each of dialects) said.push(...(await answersOf(each)));
    const deps = over(name, dialect);
    for (const message of [
      ...said,
      ...said.map(asClientsDo),
      ...Object.values(odd),
      ...Object.values(odd).map(asClientsDo),
    ]) {
      const calls = (message.tool_calls ?? []) as { id: string }[];
      const outputs = calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: "Sunny" }));
      const marked = [{ type: "text", text: "And now?", cache_control: { type: "ephemeral" } }];
      const messages = [
        { role: "user", content: "Hello" },
        message,
        ...outputs,
        { role: "user", content: marked },
      ];
      let refused: string | null = "nothing was sent";
      upstream.answer = (response, { body }) => {
        refused = refusedBy(name, body);
        sends(dialect.complete(scenes.words as Scene), response);
      };
      await asking.chat(deps, { messages, tools });
      expect(refused, JSON.stringify(message)).toBeNull();
    }
  },
);

test("a lenient provider gets unknown members, without null ones", async () => {
  const messages = [
    { role: "user", content: "Hello" },
    { role: "assistant", content: "Hi", reasoning_content: "Hm.", refusal: null, vendor: { kept: true } },
    { role: "user", content: "And now?" },
  ];
  upstream.received.length = 0;
  upstream.answer = (response) => void sends(openAi.complete(scenes.words as Scene), response);
  await asking.chat(over("lenient", openAi), { messages });
  expect(at(upstream.received[0]?.body, "messages", 1)).toEqual({
    role: "assistant",
    content: "Hi",
    reasoning: "Hm.",
    reasoning_content: "Hm.",
    vendor: { kept: true },
  });
});
