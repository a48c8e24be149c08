import { textsMax } from "#contract/texts-or-tokens.ts";
import { Batches, type Taken } from "#server/platform/batches.ts";
import { limits } from "#server/platform/limits.ts";
import { isLongJson } from "#server/platform/long-json.ts";
import { OutboundError, type OutboundResponse } from "#server/platform/outbound.ts";
import { joinWithYields, writeWithYields } from "#server/platform/write-with-yields.ts";
import { yieldEvery } from "#server/platform/yield-every.ts";
import { type AttemptError, explains, failureOfRefusal, malformed } from "../pipeline/failures.ts";
import { errorIn } from "../wires/shared/error-body.ts";
import { isJson, type Json } from "../wires/shared/json.ts";
import { parseEvent, readAnswer } from "./answer-json.ts";
import { ElementSplitter } from "./element-splitter.ts";
import { EventReader } from "./events.ts";
import { correlationHeader, type Exchange, endOfEvents, type Upstream } from "./kind.ts";

/** Where and how to send; with two translations if a provider's JSON is not the standard one. */
export interface HttpTarget {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Standard request → the provider's. */
  readonly toProvider?: (body: Json) => Json;
  /** The provider's answer → standard. Null if it violates its protocol. */
  readonly fromProvider?: (value: unknown, body: Json) => unknown;
  /** The array of a long answer, which is read element by element and never parsed at once. */
  readonly elements?: Elements;
}

interface Elements {
  readonly name: string;
  /** The replacement of an element in the returned value; `text` is its JSON. */
  readonly read: (value: unknown, text: string, body: Json) => unknown;
}

async function send(
  { url, headers, toProvider }: HttpTarget,
  exchange: Exchange,
  firstByteTimeoutMs: number,
): Promise<OutboundResponse> {
  const { outbound, body: standard, deadlineMs, signal } = exchange;
  const body = toProvider ? toProvider(standard) : standard;
  const response = await outbound.send({
    url,
    method: "POST",
    headers: { ...headers, ...exchange.headers, [correlationHeader]: exchange.generationId },
    body: isLongJson(body) ? await joinWithYields(await writeWithYields(body)) : JSON.stringify(body),
    firstByteTimeoutMs,
    idleTimeoutMs: exchange.idleTimeoutMs,
    deadlineMs,
    signal,
  });
  if (response.status === 200) return response;
  throw await refused(response, standard);
}

/** The failure for a status other than 200, in answer to `request` in our names. Frees the connection. */
export async function refused(response: OutboundResponse, request: Json): Promise<AttemptError> {
  const { status, headers } = response;
  let body: string | undefined;
  // A refusal that is too long or incomplete is judged by its status alone.
  if (explains(status)) body = await response.text(limits.upstream.refusalBytesMax).catch(() => undefined);
  else response.release();
  return failureOfRefusal({ status, headers, body, request });
}

/** Throws `AttemptError` if a body of status 200 contains an error. */
function understood(value: unknown): unknown {
  const failure = errorIn(value);
  if (failure) throw failure;
  return value;
}

/** A complete answer of which one array is read as it arrives, so that a long one does not block other requests. */
async function readElements(
  response: OutboundResponse,
  { name, read }: Elements,
  body: Json,
): Promise<unknown> {
  const elements: unknown[] = [];
  const splitter = new ElementSplitter(name, limits.upstream.elementBytesMax, (text) => {
    if (elements.push(read(parseEvent(text, limits.upstream.element), text, body)) > textsMax)
      throw malformed("it has more elements than anybody asks for", response.status);
  });
  const pause = yieldEvery();
  let bytes = 0;
  for await (const chunks of response.batches()) {
    for (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > limits.upstream.bodyBytesMax)
        throw new OutboundError(
          "too_large",
          `The answer is larger than ${limits.upstream.bodyBytesMax} bytes`,
        );
      splitter.feed(chunk);
      await pause(chunk.length);
    }
  }
  const value = understood(parseEvent(splitter.end()));
  return elements.length > 0 && isJson(value) ? { ...value, [name]: elements } : value;
}

/** The values of one batch of events, up to `[DONE]` or to the first broken one, whose error comes with them. */
function valuesOf(events: readonly string[]) {
  const values: unknown[] = [];
  for (const data of events) {
    if (data === "[DONE]") return { values, done: true, failure: undefined };
    try {
      values.push(understood(parseEvent(data)));
    } catch (failure) {
      return { values, done: false, failure };
    }
  }
  return { values, done: false, failure: undefined };
}

/** The values of server-sent events, up to `[DONE]`. The request is sent when the first batch is taken. */
class EventBatches extends Batches<unknown> {
  readonly #target: HttpTarget;
  readonly #exchange: Exchange;
  #opening: Promise<void> | undefined;
  #source: { readonly response: OutboundResponse; readonly body: Batches<Buffer> } | undefined;
  readonly #reader = new EventReader(200);
  /** It ended, or does after what was taken: with this error, or with null. */
  #end: { readonly error: unknown } | null | undefined;

  constructor(target: HttpTarget, exchange: Exchange) {
    super();
    this.#target = target;
    this.#exchange = exchange;
  }

  async #open(): Promise<void> {
    try {
      const response = await send(this.#target, this.#exchange, limits.upstream.streamFirstByteTimeoutMs);
      this.#source = { response, body: response.batches() };
      if (this.#end !== undefined) response.abort();
    } catch (error) {
      this.#end ??= { error };
    }
  }

  take(): Taken<unknown> {
    while (this.#end === undefined) {
      const chunks = this.#source === undefined ? "waiting" : this.#source.body.take();
      if (chunks === "waiting") {
        this.#opening ??= this.#open();
        return "waiting";
      }
      if (chunks === "ended") {
        this.#end = null;
        break;
      }
      // Events before a broken one are still sent to the client.
      const values = this.#read(chunks);
      if (values.length > 0) return values;
    }
    if (this.#end) throw this.#end.error;
    return "ended";
  }

  #read(chunks: readonly Buffer[]): readonly unknown[] {
    const { events, exceeded } = this.#reader.read(chunks);
    const { values, done, failure } = valuesOf(events);
    const error = failure ?? exceeded;
    if (done) {
      values.push(endOfEvents);
      this.#end = null;
      this.#source?.response.release();
    } else if (error !== null) this.#end = { error };
    return values;
  }

  arrival(): Promise<void> {
    return this.#source?.body.arrival() ?? this.#opening ?? Promise.resolve();
  }

  async close(): Promise<void> {
    this.#end ??= null;
    await this.#source?.body.close();
  }
}

/** JSON over HTTP: a request body, and a body or server-sent events as the answer. */
export const httpUpstream = (target: HttpTarget): Upstream => ({
  async complete(exchange) {
    const response = await send(target, exchange, limits.upstream.firstByteTimeoutMs);
    const value = target.elements
      ? await readElements(response, target.elements, exchange.body)
      : understood(await readAnswer(response));
    if (!target.fromProvider) return value;
    const standard = target.fromProvider(value, exchange.body);
    if (standard === null) throw malformed("it has no results", response.status);
    return standard;
  },
  stream: (exchange) => new EventBatches(target, exchange),
});
