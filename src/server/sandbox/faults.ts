import { errorBody, jsonReply, nothingCounted, type Reply, raw, type Step, send, textOf } from "./reply.ts";

/** One way to fail. `argument` is a whole number after a colon, as in `cut:3`. */
export interface Fault {
  readonly summary: string;
  readonly argument: { readonly meaning: string; readonly fallback: number } | null;
  apply(reply: Reply, argument: number): Reply;
}

const refusal = (status: number, message: string, type: string, headers: Record<string, string> = {}) => {
  const reply = jsonReply(errorBody(message, type, status), nothingCounted, status);
  return { ...reply, headers: { ...reply.headers, ...headers } };
};

const status = (code: number, summary: string, type: string): Fault => ({
  summary: `Answers ${code}: ${summary}.`,
  argument: null,
  apply: () => refusal(code, `Sandbox fault: ${summary}`, type),
});

const chunks = { meaning: "events before it happens", fallback: 3 };

/** The first `count` events of a stream, or the first half of a JSON body. */
function beginning(reply: Reply, count: number): Step[] {
  if (reply.stream) return reply.steps.slice(0, count);
  const [only] = reply.steps;
  if (!only) return [];
  const text = textOf(only, false);
  return [raw(text.slice(0, Math.ceil(text.length / 2)))];
}

/** Breaks off after the beginning and goes on with `after`. */
const breakOff = (after: (reply: Reply) => readonly Step[]) => (reply: Reply, count: number) => ({
  ...reply,
  steps: [...beginning(reply, count), ...after(reply)],
});

/** Rewrites the body or every event of the answer. */
const rewrite = (reply: Reply, change: (body: object) => object): Reply => ({
  ...reply,
  steps: reply.steps.map((step) => (step.kind === "send" ? { ...step, body: change(step.body) } : step)),
});

const carriesUsage = (step: Step): boolean =>
  step.kind === "send" && "usage" in step.body && step.body.usage !== null;

const isEnd = (step: Step): boolean =>
  carriesUsage(step) ||
  (step.kind === "raw" && step.text.includes("[DONE]")) ||
  (step.kind === "send" && /"finish_reason":"/.test(JSON.stringify(step.body)));

const withoutUsage = (body: object): object =>
  Object.fromEntries(Object.entries(body).filter(([name]) => name !== "usage" && name !== "meta"));

const overloaded = errorBody("Sandbox fault: error inside a good answer", "server_error", "overloaded");

/** Every way the sandbox can fail. The console and the documentation list this table. */
export const faults = {
  refuse: {
    summary: "Destroys the socket before any byte.",
    argument: null,
    apply: (reply) => ({ ...reply, steps: [{ kind: "destroy" }] }),
  },
  "401": status(401, "the credential is not accepted", "authentication_error"),
  "403": status(403, "the credential may not do this", "permission_error"),
  "404": status(404, "the model is gone", "not_found_error"),
  "429": {
    summary: "Answers 429 with Retry-After.",
    argument: { meaning: "seconds in Retry-After", fallback: 1 },
    apply: (_, seconds) =>
      refusal(429, "Sandbox fault: too many requests", "rate_limit_error", {
        "retry-after": String(seconds),
      }),
  },
  "500": status(500, "an internal error", "server_error"),
  "503": status(503, "the service is not available", "server_error"),
  overloaded: {
    summary: "Answers 529 with an overloaded error, as Anthropic does.",
    argument: null,
    apply: () => refusal(529, "Sandbox fault: overloaded", "overloaded_error"),
  },
  stall: {
    summary: "Sends no first byte; with an argument it answers after that time.",
    argument: { meaning: "milliseconds to wait, 0 = for ever", fallback: 0 },
    apply: (reply, ms) => ({
      ...reply,
      steps: ms > 0 ? [{ kind: "wait", ms }, ...reply.steps] : [{ kind: "hang" }],
    }),
  },
  "stall-midway": {
    summary: "Starts well, then sends nothing more and keeps the connection open.",
    argument: chunks,
    apply: breakOff(() => [{ kind: "hang" }]),
  },
  cut: {
    summary: "Destroys the socket midway.",
    argument: chunks,
    apply: breakOff(() => [{ kind: "destroy" }]),
  },
  "no-done": {
    summary: "Ends cleanly without finish_reason, usage and [DONE].",
    argument: null,
    apply: (reply) =>
      reply.stream
        ? { ...reply, steps: reply.steps.filter((step) => !isEnd(step)) }
        : rewrite(reply, (body) => {
            const text = JSON.stringify(withoutUsage(body));
            const open: object = JSON.parse(
              text.replaceAll(/"finish_reason":"[^"]*"/g, '"finish_reason":null'),
            );
            return open;
          }),
  },
  malformed: {
    summary: "Sends broken JSON midway and ends.",
    argument: chunks,
    apply: breakOff((reply) => [raw(reply.stream ? 'data: {"id":"broken","choices":[{\n\n' : '"}}')]),
  },
  "error-200": {
    summary: "Answers 200 with an error in the body, or as the first event of the stream.",
    argument: null,
    apply: (reply) => ({ ...reply, steps: [send(overloaded)] }),
  },
  "error-midway": {
    summary: "Sends an error event midway and ends; without streaming the body breaks off.",
    argument: chunks,
    apply: breakOff((reply) => (reply.stream ? [send(overloaded)] : [])),
  },
  "no-usage": {
    summary: "Leaves usage out.",
    argument: null,
    apply: (reply) =>
      reply.stream
        ? { ...reply, steps: reply.steps.filter((step) => !carriesUsage(step)) }
        : rewrite(reply, withoutUsage),
  },
  "wrong-usage": {
    summary: "Gives usage whose steps exceed their totals.",
    argument: null,
    apply: (reply) =>
      rewrite(reply, (body) =>
        "usage" in body && body.usage ? { ...body, usage: wrongUsage(reply) } : body,
      ),
  },
  "double-usage": {
    summary: "Gives usage twice: a smaller one first, then the full one.",
    argument: null,
    apply: (reply) => ({
      ...reply,
      steps: reply.steps.flatMap((step) => (carriesUsage(step) ? doubleUsage(reply, step) : [step])),
    }),
  },
  "huge-usage": {
    summary: "Gives usage far beyond what any request could take.",
    argument: { meaning: "tokens of the prompt, of the answer, and searches", fallback: 1_000_000_000 },
    apply: (reply, count) => rewrite(reply, (body) => withUsage(body, count)),
  },
  "falling-usage": {
    summary: "Gives usage twice: a huge one first, then zeros.",
    argument: { meaning: "tokens of the first", fallback: 1_000_000 },
    apply: (reply, count) => ({
      ...reply,
      steps: reply.steps.flatMap((step) =>
        step.kind === "send" && (carriesUsage(step) || "meta" in step.body)
          ? [
              ...(reply.stream ? [send(withUsage(step.body, count))] : []),
              { ...step, body: withUsage(step.body, reply.stream ? 0 : count) },
            ]
          : [step],
      ),
    }),
  },
  "negative-usage": {
    summary: "Gives usage below zero.",
    argument: null,
    apply: (reply) => rewrite(reply, (body) => withUsage(body, -1_000)),
  },
  "huge-line": {
    summary: "Puts one line of many bytes before the answer.",
    argument: { meaning: "bytes of the line", fallback: 2 * 1024 * 1024 },
    apply: (reply, bytes) => ({
      ...reply,
      steps: [
        raw(reply.stream ? `data: {"padding":"${"x".repeat(bytes)}"}\n\n` : " ".repeat(bytes)),
        ...reply.steps,
      ],
    }),
  },
  empty: {
    summary: "Answers 200 with no body at all.",
    argument: null,
    apply: (reply) => ({ ...reply, steps: [] }),
  },
  slow: {
    summary: "Waits before every event or before the body.",
    argument: { meaning: "milliseconds between events", fallback: 200 },
    apply: (reply, ms) => ({ ...reply, steps: reply.steps.flatMap((step) => [{ kind: "wait", ms }, step]) }),
  },
  html: {
    summary: "Answers 200 with a page of HTML, as a proxy in between would.",
    argument: null,
    apply: (reply) => ({
      ...reply,
      headers: { "content-type": "text/html" },
      steps: [raw("<!doctype html><title>Sign in</title><p>Sandbox fault</p>\n")],
    }),
  },
} as const satisfies Record<string, Fault>;

export type FaultName = keyof typeof faults;

/** The same body, but every figure of its usage is `count`. */
function withUsage(body: object, count: number): object {
  const usage = { prompt_tokens: count, completion_tokens: count, total_tokens: 2 * count };
  return {
    ...body,
    ...("usage" in body && body.usage !== null && { usage }),
    ...("meta" in body && { meta: { billed_units: { search_units: count } } }),
  };
}

function wrongUsage({ counted }: Reply): object {
  const { prompt_tokens, completion_tokens } = counted;
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens,
    prompt_tokens_details: { cached_tokens: prompt_tokens + 100 },
    completion_tokens_details: { reasoning_tokens: completion_tokens + 100 },
  };
}

function doubleUsage(reply: Reply, step: Step): readonly Step[] {
  if (step.kind !== "send") return [step];
  const first = { prompt_tokens: reply.counted.prompt_tokens, completion_tokens: 1, total_tokens: 1 };
  if (reply.stream) return [send({ ...step.body, usage: first }), step];
  // A JSON object can only repeat a member as text; parsers keep the last one.
  return [raw(`{"usage":${JSON.stringify(first)},${JSON.stringify(step.body).slice(1)}`, step.tokens)];
}
