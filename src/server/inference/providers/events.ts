import { createParser } from "eventsource-parser";
import { limits } from "#server/platform/limits.ts";
import { OutboundError, type OutboundResponse } from "#server/platform/outbound.ts";
import { malformed } from "../pipeline/failures.ts";
import { errorIn } from "../wires/shared/error-body.ts";

/** Some providers name an event `error`, whose data does not show that it is one. */
function errorData(data: string): string {
  try {
    if (errorIn(JSON.parse(data))) return data;
  } catch {
    // A text that is not JSON is the error itself.
  }
  return JSON.stringify({ error: data });
}

/**
 * Returns the `data` of server-sent events in batches as they arrive; that of an event named `error` as the JSON of
 * an error. Throws `OutboundError` if the connection fails and `AttemptError` if a line exceeds its limit, after the
 * events before it.
 */
export async function* eventsOf(
  response: OutboundResponse,
): AsyncGenerator<readonly string[], void, undefined> {
  const { streamBytesMax, sseLineBytesMax } = limits.upstream;
  const decoder = new TextDecoder();
  let ready: string[] = [];
  let lineChars = 0;
  let bytes = 0;
  const parser = createParser({
    onEvent: ({ event, data }) => {
      lineChars = 0;
      ready.push(event === "error" ? errorData(data) : data);
    },
  });
  /** The limit that the stream exceeds with this chunk, or null. */
  const feed = (chunk: Buffer): Error | null => {
    bytes += chunk.length;
    if (bytes > streamBytesMax)
      return new OutboundError("too_large", `The stream is longer than ${streamBytesMax} bytes`);
    lineChars += chunk.length;
    parser.feed(decoder.decode(chunk, { stream: true }));
    return lineChars > sseLineBytesMax ? malformed("an event is too large", response.status) : null;
  };
  for await (const chunks of response.batches()) {
    let exceeded: Error | null = null;
    for (const chunk of chunks) {
      exceeded = feed(chunk);
      if (exceeded) break;
    }
    if (ready.length > 0) {
      const events = ready;
      ready = [];
      yield events;
    }
    if (exceeded) throw exceeded;
  }
}
