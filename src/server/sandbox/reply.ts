/** One step of an answer. Tokens are counted where they leave, so that a cut stream knows what it gave. */
export type Step =
  | { readonly kind: "send"; readonly body: object; readonly tokens: number }
  | { readonly kind: "raw"; readonly text: string; readonly tokens: number }
  | { readonly kind: "wait"; readonly ms: number }
  | { readonly kind: "hang" }
  | { readonly kind: "destroy" };

/** What a request was found to hold and to give, before any fault changed the answer. */
export interface Counted {
  readonly prompt_tokens: number;
  readonly cached_tokens: number;
  readonly completion_tokens: number;
  readonly search_units: number;
}

/** A whole answer as data: faults rewrite it, the player plays it. In a stream each `send` is one event. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly stream: boolean;
  readonly steps: readonly Step[];
  readonly counted: Counted;
}

export const nothingCounted: Counted = {
  prompt_tokens: 0,
  cached_tokens: 0,
  completion_tokens: 0,
  search_units: 0,
};

const json = { "content-type": "application/json" };
const eventStream = { "content-type": "text/event-stream", "cache-control": "no-store" };

export const send = (body: object, tokens = 0): Step => ({ kind: "send", body, tokens });
export const raw = (text: string, tokens = 0): Step => ({ kind: "raw", text, tokens });
export const done: Step = raw("data: [DONE]\n\n");

export const jsonReply = (body: object, counted: Counted, status = 200): Reply => ({
  status,
  headers: json,
  stream: false,
  steps: [send(body, counted.completion_tokens)],
  counted,
});

export const streamReply = (events: readonly Step[], counted: Counted): Reply => ({
  status: 200,
  headers: eventStream,
  stream: true,
  steps: [...events, done],
  counted,
});

/** The bytes of a step that has some. */
export function textOf(step: Step, stream: boolean): string {
  if (step.kind === "raw") return step.text;
  if (step.kind !== "send") return "";
  const body = JSON.stringify(step.body);
  return stream ? `data: ${body}\n\n` : body;
}

export const errorBody = (message: string, type: string, code: string | number | null) => ({
  error: { message, type, param: null, code },
});

/** A request the sandbox refuses, in OpenAI's error shape. */
export class SandboxError extends Error {
  override readonly name = "SandboxError";
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }

  toReply(): Reply {
    const type = this.status >= 500 ? "server_error" : "invalid_request_error";
    return jsonReply(errorBody(this.message, type, this.status), nothingCounted, this.status);
  }
}
