import { JsonBoundError, type JsonBounds, JsonGuard } from "#server/platform/json-guard.ts";
import { limits } from "#server/platform/limits.ts";
import type { OutboundResponse } from "#server/platform/outbound.ts";
import { JsonNameError, JsonSyntaxError, parseWithYields } from "#server/platform/parse-with-yields.ts";
import { type AttemptError, malformed } from "../pipeline/failures.ts";

const notJson = (): AttemptError => malformed("it is not JSON", 200);

/** Counts the values of a provider's answer. Throws `AttemptError` if it exceeds the limits. */
export function countAnswer(guard: JsonGuard, bytes: Buffer): void {
  try {
    guard.feed(bytes);
  } catch (error) {
    if (error instanceof JsonBoundError) throw malformed(`it ${error.message}`, 200);
    throw error;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notJson();
  }
}

/** One event of a stream, or one element of a long answer. Throws `AttemptError`. */
export function parseEvent(text: string, bounds: JsonBounds = limits.upstream.event): unknown {
  if (text.length > limits.upstream.eventBytesUnguarded)
    countAnswer(new JsonGuard(bounds), Buffer.from(text));
  return parse(text);
}

/** A complete answer. A long one is parsed with yields. Throws `AttemptError` or `OutboundError`. */
export async function readAnswer(response: OutboundResponse): Promise<unknown> {
  const guard = new JsonGuard(limits.upstream.answer);
  const bytes = await response.bytes(limits.upstream.bodyBytesMax, (chunk) => countAnswer(guard, chunk));
  if (bytes.length <= limits.body.yieldAboveBytes) return parse(bytes.toString());
  try {
    return await parseWithYields(bytes);
  } catch (error) {
    if (error instanceof JsonSyntaxError || error instanceof JsonNameError) throw notJson();
    throw error;
  }
}
