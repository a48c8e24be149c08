import { vi } from "vitest";

interface Answered {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request that the console sent, waiting for the answer of the test. */
export interface InferenceCall {
  readonly path: string;
  readonly body: unknown;
  readonly signal: AbortSignal;
  /** Answers with a complete JSON body. */
  json(body: unknown, answered?: Answered): void;
  /** Answers with a text that need not be JSON. */
  text(body: string, answered?: Answered): void;
  /** Answers with server-sent events, which the test sends one by one. */
  stream(answered?: Answered): EventStream;
  /** The connection breaks before an answer. */
  disconnect(): void;
}

interface EventStream {
  send(event: unknown): void;
  sendText(text: string): void;
  sendBytes(bytes: Uint8Array): void;
  end(): void;
  disconnect(): void;
}

const brokenConnection = () => new TypeError("network error");
const stopped = () => new DOMException("The operation was aborted", "AbortError");

const responseOf = (
  body: string | ReadableStream<Uint8Array>,
  type: string,
  { status = 200, headers = {} }: Answered,
) => new Response(body, { status, headers: { "content-type": type, ...headers } });

function eventStream(signal: AbortSignal) {
  const encoder = new TextEncoder();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given;
    },
  });
  signal.addEventListener("abort", () => controller?.error(stopped()));
  const sendBytes = (bytes: Uint8Array) => controller?.enqueue(bytes);
  const sendText = (text: string) => sendBytes(encoder.encode(text));
  const events: EventStream = {
    send: (event) => sendText(`data: ${JSON.stringify(event)}\n\n`),
    sendText,
    sendBytes,
    end() {
      sendText("data: [DONE]\n\n");
      controller?.close();
    },
    disconnect: () => controller?.error(brokenConnection()),
  };
  return { body, events };
}

/** Stands in for `fetch`: remembers every request, and answers each as the test says. Undone by `unstubAllGlobals`. */
export function stubInference(): readonly InferenceCall[] {
  const calls: InferenceCall[] = [];
  vi.stubGlobal(
    "fetch",
    (path: string, { body, signal }: { readonly body: string; readonly signal: AbortSignal }) =>
      new Promise<Response>((resolve, reject) => {
        signal.addEventListener("abort", () => reject(stopped()));
        calls.push({
          path,
          body: JSON.parse(body),
          signal,
          json: (answer, answered = {}) =>
            resolve(responseOf(JSON.stringify(answer), "application/json", answered)),
          text: (answer, answered = {}) => resolve(responseOf(answer, "text/html", answered)),
          stream(answered = {}) {
            const { body: stream, events } = eventStream(signal);
            resolve(responseOf(stream, "text/event-stream; charset=utf-8", answered));
            return events;
          },
          disconnect: () => reject(brokenConnection()),
        });
      }),
  );
  return calls;
}
