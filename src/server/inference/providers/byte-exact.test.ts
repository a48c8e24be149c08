import { expect, test } from "vitest";
import { ChatRequest } from "#contract/chat.ts";
import { endpoint, model, provider } from "#test/catalogues.ts";
import { exchangeWith } from "#test/dialects/exchange.ts";
import { upstreamOfFile } from "#test/dialects/file-upstream.ts";
import { openAi } from "#test/dialects/openai.ts";
import { sending } from "#test/sending.ts";
import { nativeChat } from "../wires/openai-chat/wire.ts";
import { endOfEvents } from "./kind.ts";
import { openAiCompatible } from "./openai-compatible.ts";

const { upstream, outbound } = await upstreamOfFile();

const pieces = [
  "",
  " ",
  "\n",
  "\r\n",
  "é",
  "日本",
  "🧭",
  "\u2028",
  '"quoted" \\ {json}',
  "data: [DONE]",
  "e\u0301",
];
const sent = openAi.stream(
  {
    text: pieces,
    reasoning: [],
    call: null,
    usage: { prompt: 1, cacheRead: 0, completion: 9, reasoning: 0 },
  },
  true,
);

test("deltas come through unchanged and in order, wherever the bytes of the stream are split", async () => {
  const at = endpoint(provider("theirs", { baseUrl: `${upstream.origin}/v1` }), model("m/x"));
  const way = openAiCompatible.upstream(at, "chat", undefined);
  const request = ChatRequest.parse({ model: "m/x", messages: [{ role: "user", content: "Hi" }] });
  const body = nativeChat.encode(request, at, sending(9, true));

  async function deltasSplitAt(position: number): Promise<unknown[]> {
    upstream.answer = (response) => {
      response.writeHead(200, { "content-type": sent.type });
      response.write(sent.body.subarray(0, position), () => response.end(sent.body.subarray(position)));
    };
    const reader = nativeChat.reader(request);
    const deltas: unknown[] = [];
    for await (const batch of way?.stream(exchangeWith(outbound, body)) ?? [])
      for (const event of batch.filter((each) => each !== endOfEvents))
        for (const { delta } of reader.event(event)?.choices ?? []) deltas.push(delta?.content);
    expect(reader.finished()).toBe(true);
    return deltas.filter((piece) => piece !== undefined);
  }

  for (let position = 0; position <= sent.body.length; position++)
    expect(await deltasSplitAt(position), `split at ${position}`).toEqual(["", ...pieces]);
}, 60_000);
