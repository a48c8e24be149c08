import { createParser } from "eventsource-parser";
import { limits } from "#server/platform/limits.ts";
import type { OutboundResponse } from "#server/platform/outbound.ts";
import { malformed } from "../failures.ts";

/**
 * The `data` of server-sent events, in batches as they arrive. Throws `OutboundError` when the connection fails
 * and `AttemptError` when a line grows over its limit.
 */
export async function* eventsOf(
  response: OutboundResponse,
): AsyncGenerator<readonly string[], void, undefined> {
  const decoder = new TextDecoder();
  let ready: string[] = [];
  let lineChars = 0;
  const parser = createParser({
    onEvent: ({ data }) => {
      lineChars = 0;
      ready.push(data);
    },
  });
  for await (const chunk of response.chunks()) {
    lineChars += chunk.length;
    parser.feed(decoder.decode(chunk, { stream: true }));
    if (lineChars > limits.upstream.sseLineBytesMax && ready.length === 0) {
      throw malformed("an event is too large", response.status);
    }
    if (ready.length === 0) continue;
    const events = ready;
    ready = [];
    yield events;
  }
}
