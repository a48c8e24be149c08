import type { ServerResponse } from "node:http";
import { ChatRequest } from "#contract/chat.ts";
import { type AttemptError, toAttemptError } from "#server/inference/pipeline/failures.ts";
import { type Exchange, endOfEvents, type Upstream } from "#server/inference/providers/kind.ts";
import { type ChatChunk, nativeChat } from "#server/inference/wires/openai-chat/wire.ts";
import { sending } from "#test/sending.ts";
import type { Dialect, Scene, Sent } from "./dialect.ts";
import { upstreamOfFile } from "./file-upstream.ts";

export const scene: Scene = {
  reasoning: ["Let me ", "think."],
  text: ["Bon", "jour", " le monde — ", "☀️"],
  call: null,
  usage: { prompt: 20, cacheRead: 8, completion: 12, reasoning: 0 },
};

export const request = (own: object = {}): ChatRequest =>
  ChatRequest.parse({ model: "m/x", messages: [{ role: "user", content: "Hello there" }], ...own });

/** Answers with a body as it is, or in pieces of so many bytes. */
export const sends =
  ({ type, body }: Sent, pieceBytes = body.length) =>
  (response: ServerResponse) => {
    response.writeHead(200, { "content-type": type });
    for (let from = 0; from < body.length; from += pieceBytes)
      response.write(body.subarray(from, from + pieceBytes));
    response.end();
  };

/** The error of an attempt that has to fail. */
export async function failing(attempt: Promise<unknown>): Promise<AttemptError> {
  try {
    await attempt;
  } catch (error) {
    return toAttemptError(error);
  }
  throw new Error("It did not fail");
}

/** Everything a stream brought, and whether its provider ended it. */
async function collect(way: Upstream, given: Exchange) {
  const reader = nativeChat.reader(request());
  const chunks: ChatChunk[] = [];
  const events = way.stream(given);
  for (;;) {
    const { value, done } = await events.next();
    if (done)
      return { chunks: reader.finished() ? [...chunks, reader.end()] : chunks, ended: reader.finished() };
    for (const event of value) {
      const chunk = event === endOfEvents ? null : reader.event(event);
      if (chunk) chunks.push(chunk);
    }
  }
}

/** Chats with a provider on loopback in the protocol of any dialect. */
export async function startConversations() {
  const { upstream, exchange, open } = await upstreamOfFile();

  async function complete(dialect: Dialect, own: object = {}, more: Partial<Exchange> = {}) {
    const { way, at } = open(dialect, "chat");
    const body = nativeChat.encode(request(own), at, sending(64, false));
    return nativeChat.reader(request()).answer(await way.complete(exchange(body, more)));
  }

  async function streamed(dialect: Dialect, own: object = {}, more: Partial<Exchange> = {}) {
    const { way, at } = open(dialect, "chat");
    const body = nativeChat.encode(request({ stream: true, ...own }), at, sending(64, true));
    return collect(way, exchange(body, more));
  }

  return { upstream, exchange, open, complete, streamed };
}
