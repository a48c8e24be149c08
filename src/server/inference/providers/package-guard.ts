import { type JsonBounds, JsonGuard } from "#server/platform/json-guard.ts";
import { limits } from "#server/platform/limits.ts";
import { malformed } from "../pipeline/failures.ts";
import { countAnswer } from "./answer-json.ts";

/** Receives a body in chunks. Throws `AttemptError` if it exceeds the limits. */
type Count = (chunk: Buffer) => void;

export interface Counter {
  readonly count: Count;
  readonly bytesMax: number;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

const tooLarge = () => malformed("an event is too large", 200);

const { event, sseLineBytesMax: eventBytesMax } = limits.upstream;

/** Server-sent events: each is counted from one blank line to the next. */
function countEvents(): Count {
  const guard = new JsonGuard(event);
  let eventBytes = 0;
  let lineBytes = 0;
  let behindReturn = false;
  const endLine = () => {
    if (lineBytes === 0) {
      guard.reset();
      eventBytes = 0;
    } else guard.endLine();
    lineBytes = 0;
  };
  const take = (part: Buffer) => {
    lineBytes += part.length;
    eventBytes += part.length;
    if (eventBytes > eventBytesMax) throw tooLarge();
    countAnswer(guard, part);
  };
  return (chunk) => {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      if (byte !== lineFeed && byte !== carriageReturn) {
        behindReturn = false;
        continue;
      }
      if (at > from) take(chunk.subarray(from, at));
      from = at + 1;
      // Both together end one line.
      if (byte === carriageReturn || !behindReturn) endLine();
      behindReturn = byte === carriageReturn;
    }
    if (from < chunk.length) take(chunk.subarray(from));
  };
}

/** Bytes before the headers of a message (lengths and a checksum), and after its payload. */
const preludeBytes = 12;
const trailerBytes = 4;

/** Amazon's event streams: messages that begin with their length and that of their headers, as 32-bit numbers. */
function countMessages(): Count {
  let held: Buffer = Buffer.alloc(0);
  return (chunk) => {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    while (held.length >= preludeBytes) {
      const bytes = held.readUInt32BE(0);
      const payloadAt = preludeBytes + held.readUInt32BE(4);
      if (bytes > eventBytesMax) throw tooLarge();
      if (payloadAt + trailerBytes > bytes) throw malformed("it is not what its protocol promises", 200);
      if (held.length < bytes) return;
      countAnswer(new JsonGuard(event), held.subarray(payloadAt, bytes - trailerBytes));
      held = held.subarray(bytes);
    }
  };
}

function countWhole(bounds: JsonBounds): Count {
  const guard = new JsonGuard(bounds);
  return (chunk) => countAnswer(guard, chunk);
}

/** Counts an answer that a provider's package parses; `bounds` apply if it is not a stream. */
export function counterFor(contentType: unknown, bounds: JsonBounds): Counter {
  const { streamBytesMax, bodyBytesMax } = limits.upstream;
  const type = typeof contentType === "string" ? contentType.toLowerCase() : "";
  if (type.startsWith("text/event-stream")) return { count: countEvents(), bytesMax: streamBytesMax };
  if (type.startsWith("application/vnd.amazon.eventstream"))
    return { count: countMessages(), bytesMax: streamBytesMax };
  return { count: countWhole(bounds), bytesMax: bodyBytesMax };
}
