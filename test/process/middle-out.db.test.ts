import { expect, test } from "vitest";
import { ErrorEnvelope } from "#contract/errors.ts";
import { startOwnUpstream } from "./own-upstream.ts";
import { startTestServer } from "./server.ts";

const own = await startOwnUpstream();
const { post, record } = await startTestServer(own);

const said = (count: number, chars: number) => [
  { role: "system", content: "Be brief." },
  ...Array.from({ length: count }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: `${at} ${"word ".repeat(chars / 5)}`,
  })),
  { role: "user", content: "And now?" },
];

async function ask(own_: object) {
  const response = await post("/chat/completions", { model: "own/chat", max_tokens: 4, ...own_ });
  const id = response.headers.get("x-generation-id");
  await response.text();
  const { messages = [] } = own.askedFor(id ?? "") as { messages?: { role: string; content: string }[] };
  return { response, id, messages };
}

// The window has 131,072 tokens.
const tooLong = said(100, 10_000);

test.each([false, true])(
  "a conversation that is too long loses messages from its middle, streamed %o",
  async (stream) => {
    const { response, id, messages } = await ask({ messages: tooLong, transforms: ["middle-out"], stream });
    expect([response.status, response.headers.get("x-portolan-transforms")]).toEqual([200, "middle-out"]);
    expect([messages[0], messages.at(-1)]).toEqual([tooLong[0], tooLong.at(-1)]);
    expect(messages.length).toBeGreaterThan(20);
    expect(messages.length).toBeLessThan(tooLong.length);
    const contents = tooLong.map(({ content }) => content);
    const places = messages.map(({ content }) => contents.indexOf(content));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect((await record(id)).parameters).toMatchObject({ transforms: ["middle-out"] });
  },
);

test("a conversation that fits is sent as it is, and nothing is reported", async () => {
  const messages = said(4, 100);
  const { response, id, messages: sent } = await ask({ messages, transforms: ["middle-out"] });
  expect([response.status, response.headers.get("x-portolan-transforms")]).toEqual([200, null]);
  expect(sent).toEqual(messages);
  expect((await record(id)).parameters).not.toHaveProperty("transforms");
});

test("without the transform a conversation that is too long is refused", async () => {
  for (const transforms of [undefined, [], null]) {
    const response = await post("/chat/completions", {
      ...{ model: "own/chat", messages: said(100, 40_000), transforms },
    });
    const { error } = ErrorEnvelope.parse(await response.json());
    expect([response.status, error.metadata.error_type]).toEqual([400, "context_length_exceeded"]);
  }
});
