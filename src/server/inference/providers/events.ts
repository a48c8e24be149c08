import { createParser } from "eventsource-parser";
import { limits } from "#server/platform/limits.ts";
import { OutboundError } from "#server/platform/outbound.ts";
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

/** What arrived of a stream: the `data` of its complete events, and the error of a limit that it exceeds after them. */
interface Events {
  readonly events: readonly string[];
  readonly exceeded: Error | null;
}

/** Reads server-sent events. The `data` of one named `error` is returned as the JSON of an error. */
export class EventReader {
  readonly #status: number;
  readonly #decoder = new TextDecoder();
  #ready: string[] = [];
  #lineChars = 0;
  #bytes = 0;
  readonly #parser = createParser({
    onEvent: ({ event, data }) => {
      this.#lineChars = 0;
      this.#ready.push(event === "error" ? errorData(data) : data);
    },
  });

  /** `status` is that of the response, for errors. */
  constructor(status: number) {
    this.#status = status;
  }

  /** Reads what arrived together. */
  read(chunks: readonly Buffer[]): Events {
    let exceeded: Error | null = null;
    for (const chunk of chunks) {
      exceeded = this.#feed(chunk);
      if (exceeded) break;
    }
    const events = this.#ready;
    if (events.length > 0) this.#ready = [];
    return { events, exceeded };
  }

  /** The limit that the stream exceeds with this chunk, or null. */
  #feed(chunk: Buffer): Error | null {
    const { streamBytesMax, sseLineBytesMax } = limits.upstream;
    this.#bytes += chunk.length;
    if (this.#bytes > streamBytesMax)
      return new OutboundError("too_large", `The stream is longer than ${streamBytesMax} bytes`);
    this.#lineChars += chunk.length;
    this.#parser.feed(this.#decoder.decode(chunk, { stream: true }));
    return this.#lineChars > sseLineBytesMax ? malformed("an event is too large", this.#status) : null;
  }
}
