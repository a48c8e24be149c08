import { clock } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import type { Outbound, OutboundResponse } from "#server/platform/outbound.ts";
import { eventsOf } from "./events.ts";
import { failureOfStatus, malformed } from "./failures.ts";
import type { Target } from "./providers/kind.ts";
import { type Generated, isJson } from "./wire/generated.ts";

interface Exchange {
  readonly outbound: Outbound;
  readonly target: Target;
  readonly generationId: string;
  readonly body: string;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  readonly decode: (value: unknown) => Generated | null;
}

/** Tells an upstream's log, and the sandbox's memory, which generation a request belongs to. */
const correlationHeader = "x-portolan-generation";

async function send(exchange: Exchange, firstByteTimeoutMs: number): Promise<OutboundResponse> {
  const { outbound, target, body, deadlineMs, signal } = exchange;
  const response = await outbound.send({
    url: target.url,
    method: "POST",
    headers: { ...target.headers, [correlationHeader]: exchange.generationId },
    body,
    firstByteTimeoutMs,
    idleTimeoutMs: limits.upstream.idleTimeoutMs,
    deadlineMs,
    signal,
  });
  if (response.status === 200) return response;
  response.abort();
  throw failureOfStatus(response.status, response.headers["retry-after"]);
}

function parse(text: string, status: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformed("it is not JSON", status);
  }
}

/** An answer of 200 whose body says it failed counts as the failure it is (F8). */
function refuseErrorBody(value: unknown): void {
  if (!isJson(value) || !isJson(value.error)) return;
  const { code, status } = value.error;
  const number = [code, status].map(Number).find((candidate) => candidate >= 400 && candidate < 600);
  throw failureOfStatus(number ?? 500, undefined);
}

/** One whole answer from one endpoint. Throws `AttemptError` or `OutboundError`. */
export async function attemptWhole(exchange: Exchange): Promise<Generated> {
  const response = await send(exchange, limits.upstream.firstByteTimeoutMs);
  const value = parse(await response.text(limits.upstream.bodyBytesMax), response.status);
  refuseErrorBody(value);
  const generated = exchange.decode(value);
  if (!generated || generated.choices.length === 0) throw malformed("it has no choices", response.status);
  return generated;
}

/** The parts of a streamed answer. Ends only after the upstream said it is complete; else throws. */
export async function* attemptStream(exchange: Exchange): AsyncGenerator<Generated, void, undefined> {
  const response = await send(exchange, limits.upstream.streamFirstByteTimeoutMs);
  const unfinished = new Set<number>();
  let finishedAny = false;
  for await (const data of eventsOf(response)) {
    if (data === "[DONE]") return;
    const value = parse(data, response.status);
    refuseErrorBody(value);
    const part = exchange.decode(value);
    if (!part) continue;
    for (const { index, finish_reason } of part.choices) {
      if (finish_reason === null) unfinished.add(index);
      else {
        unfinished.delete(index);
        finishedAny = true;
      }
    }
    yield part;
  }
  if (unfinished.size > 0 || !finishedAny)
    throw malformed("it ended before it was complete", response.status);
}

/** The moment after which a request that starts now waits for nothing more. */
export const deadline = (): number => clock.monotonicMs() + limits.upstream.totalTimeoutMs;
