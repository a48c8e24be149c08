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
 * an error. Throws `OutboundError` if the connection fails and `AttemptError` if a line exceeds its limit.
 */
export async function* eventsOf(
  response: OutboundResponse,
): AsyncGenerator<readonly string[], void, undefined> {
  const { streamBytesMax } = limits.upstream;
  const decoder = new TextDecoder();
  let ready: string[] = [];
  let lineChars = 0;
  const parser = createParser({
    onEvent: ({ event, data }) => {
      lineChars = 0;
      ready.push(event === "error" ? errorData(data) : data);
    },
  });
  let bytes = 0;
  for await (const chunk of response.chunks()) {
    bytes += chunk.length;
    if (bytes > streamBytesMax)
      throw new OutboundError("too_large", `The stream is longer than ${streamBytesMax} bytes`);
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
