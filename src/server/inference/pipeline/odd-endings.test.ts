import type { ServerResponse } from "node:http";
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { ErrorCode } from "#contract/errors.ts";
import { endpoint, model, price, provider } from "#test/catalogues.ts";
import { upstreamOfFile } from "#test/dialects/file-upstream.ts";
import {
  chatChunks,
  done,
  event,
  type Protocol,
  responseEvents,
  textChunks,
} from "#test/dialects/protocols.ts";
import { inferenceOver } from "#test/inference.ts";
import { hear, hearAnything, type OperationName } from "#test/operations.ts";
import { createUpstreams } from "./upstreams.ts";

vi.mock(import("#server/platform/limits.ts"), async (original) => {
  const { limits } = await original();
  return { limits: { ...limits, upstream: { ...limits.upstream, endTimeoutMs: 200 } } };
});

const { upstream, outbound } = await upstreamOfFile();

/** Every way an operation can be streamed; the provider's protocol is read by our code or by a package. */
interface Way {
  readonly operation: OperationName;
  readonly kind: string;
  readonly api: "chat" | "completions" | "responses";
  readonly protocol: Protocol;
  readonly prompts?: number;
}

const openAi = "openai-compatible";

const chatting = (operation: OperationName, kind: string): Way => ({
  operation,
  kind,
  api: "chat",
  protocol: chatChunks,
});

const ownWays: readonly Way[] = [
  chatting("chat", openAi),
  chatting("completions", openAi),
  chatting("responses", openAi),
  chatting("chat", "cohere"),
  { ...chatting("completions", openAi), prompts: 2 },
  { operation: "completions", kind: openAi, api: "completions", protocol: textChunks },
  { operation: "responses", kind: openAi, api: "responses", protocol: responseEvents },
];

/** Mistral reports usage in the chunk that ends an answer. */
const protocols = { azure: chatChunks, mistral: { ...chatChunks, usage: "" } };

const packageWays = Object.entries(protocols).flatMap(([kind, protocol]) =>
  (["chat", "completions", "responses"] as const).map((operation) => ({
    ...chatting(operation, kind),
    protocol,
  })),
);

const titleOf = ({ operation, kind, api, prompts }: Way): string =>
  `/${operation} by ${api} of ${kind}${prompts ? `, ${prompts} bodies` : ""}`;

const cut = Symbol("the connection breaks");
const silence = Symbol("nothing more comes");
type Sent = readonly (string | typeof cut | typeof silence)[];

/** What one ending leads to: a complete answer with a reason, or a failure with a code. */
interface Ending {
  readonly sent: (protocol: Protocol) => Sent;
  readonly ends: "stop" | ErrorCode;
  /** The result where a package reads the protocol and accepts the contradiction. */
  readonly readByPackage?: "stop" | "length" | ErrorCode;
}

const overloaded = "SERVICE_UNAVAILABLE";
const broken = "PROVIDER_ERROR";

const afterEnd = (sent: Sent, ends: ErrorCode): Ending => ({
  sent: ({ end }) => [end("stop"), ...sent],
  ends,
});

const failing = (sent: string, ends: ErrorCode): Ending => ({ sent: () => [sent], ends });

const errors: Readonly<Record<string, Ending>> = {
  "an error as a text": failing(event({ error: "overloaded" }), overloaded),
  "an error as an object": failing(event({ error: { message: "No", type: "overloaded_error" } }), overloaded),
  "an error with a status": failing(
    event({ error: { message: "Slow down", code: 429 } }),
    "RATE_LIMIT_EXCEEDED",
  ),
  "an error with a status in text": failing(
    event({ error: { message: "No", code: "504" } }),
    "PROVIDER_TIMEOUT",
  ),
  "an error with its status next to it": failing(event({ error: "No", status: 429 }), "RATE_LIMIT_EXCEEDED"),
  "an event of type error": failing(
    event({ type: "error", error: { type: "overloaded_error", message: "No" } }),
    overloaded,
  ),
  "an event of type error with a code": failing(
    event({ type: "error", code: "rate_limit_exceeded", message: "No" }),
    "RATE_LIMIT_EXCEEDED",
  ),
  "an object called error": failing(event({ object: "error", message: "No", code: 503 }), overloaded),
  "an error without anything around it": failing(
    event({ message: "too many requests", type: "rate_limit", code: "rate_limit" }),
    "RATE_LIMIT_EXCEEDED",
  ),
  "an event named error": failing("event: error\ndata: overloaded\n\n", overloaded),
  "an error and [DONE]": failing(event({ error: { message: "internal" } }) + done, broken),
  "broken JSON": failing('data: {"choices":[{\n\n', broken),
  "the end of the connection": failing("", broken),
  "[DONE]": failing(done, broken),
};

const endings: Readonly<Record<string, Ending>> = {
  "a reason, usage, [DONE]": { sent: ({ end, usage }) => [end("stop"), usage, done], ends: "stop" },
  "a reason alone": { sent: ({ end }) => [end("stop")], ends: "stop" },
  "a reason, and the connection breaks": {
    sent: ({ end }) => [end("stop"), cut],
    ends: "stop",
    readByPackage: broken,
  },
  "two reasons": {
    sent: ({ end, usage }) => [end("stop"), end("length"), usage, done],
    ends: "stop",
    readByPackage: "length",
  },
  "the same reason twice": { sent: ({ end }) => [end("stop"), end("stop"), done], ends: "stop" },
  "more text after a reason": {
    sent: ({ end, text }) => [end("stop"), text(" again"), done],
    ends: broken,
    readByPackage: "stop",
  },
  "an error after a reason": afterEnd([event({ error: { message: "No", code: 503 } })], overloaded),
  "an error after a reason, and [DONE]": afterEnd([event({ error: "overloaded" }), done], overloaded),
  "broken JSON after a reason": afterEnd(['data: {"choices"\n\n'], broken),
  ...errors,
};

/** Sends `sent` piece by piece, then ends or breaks the connection. */
async function play(response: ServerResponse, sent: Sent): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const piece of sent) {
    if (piece === cut) return void response.destroy();
    if (piece === silence) return;
    await new Promise((written) => response.write(piece, written));
    // The pause makes each piece arrive alone: what was not read is lost when the connection breaks.
    await new Promise((turn) => setTimeout(turn, 5));
  }
  response.end();
}

/** Two providers of one model; the first is asked first. */
function twoProviders({ kind, api }: Way) {
  const at = (slug: string, figure: string) =>
    endpoint(
      provider(slug, { kind, baseUrl: `${upstream.origin}/${slug}` }),
      model("m/x", { supportedParameters: [] }),
      { apis: new Set([api]), price: price(figure) },
    );
  return inferenceOver(
    [at("odd", "1"), at("good", "2")],
    createUpstreams(
      new Map([
        ["odd", "key"],
        ["good", "key"],
      ]),
    ),
    outbound,
  );
}

let sent: Record<"odd" | "good", Sent> = { odd: [], good: [] };

beforeEach(() => {
  upstream.answer = (response, { path }) => {
    void play(response, path.startsWith("/odd") || path.includes("/compatibility") ? sent.odd : sent.good);
  };
});

const bodyOf = ({ prompts = 1 }: Way) => ({
  stream: true,
  provider: { sort: "price" },
  ...(prompts > 1 && { prompt: Array.from({ length: prompts }, () => "Hello") }),
});

/** Codes that the streams of /responses report under another name. */
const responseCodes: Partial<Record<ErrorCode, string>> = { RATE_LIMIT_EXCEEDED: "rate_limit_exceeded" };

const cases = (ways: readonly Way[], table: Readonly<Record<string, Ending>>) =>
  ways.flatMap((way) =>
    Object.entries(table).map(([name, ending]) => ({ title: titleOf(way), name, way, ending })),
  );

describe("however a stream ends, the client gets exactly one ending, and the true one", () => {
  test.each(cases(ownWays, endings).concat(cases(packageWays, endings)))(
    "$title: $name",
    async ({ way, ending }) => {
      const { operation, protocol, kind, prompts = 1 } = way;
      sent = { odd: [protocol.text("Hel"), ...ending.sent(protocol)], good: [] };
      const { deps, learned } = twoProviders(way);
      const heard = await hear(operation, deps, bodyOf(way));
      const read = (kind === "azure" || kind === "mistral") && ending.readByPackage;
      const ends = read || ending.ends;
      const isComplete = ends === "stop" || ends === "length";
      expect(heard.ends).toBe(isComplete ? prompts : 1);
      const isResponse = operation === "responses";
      if (isComplete) {
        expect(heard.error).toBeNull();
        expect(heard.done).toBe(true);
        expect(heard.finish).toBe(isResponse ? (ends === "stop" ? "completed" : "incomplete") : ends);
      } else {
        // A package reads errors its own way: only that there is one is checked.
        const code = isResponse ? (responseCodes[ends] ?? "server_error") : ends;
        if (kind === openAi) expect(heard.error).toBe(code);
        else expect(heard.error).not.toBeNull();
        expect(heard.finish).toBe(isResponse ? "failed" : "error");
        expect(heard.done).toBe(isResponse);
      }
      // The first of several bodies that fails ends them all, wherever the others are.
      if (!isComplete && prompts > 1) expect(heard.text).toMatch(/^(Hel)+$/);
      else if (!read) expect(heard.text).toBe("Hel".repeat(prompts));
      expect(learned.final).toMatchObject([{ status: isComplete ? "completed" : "failed" }]);
    },
  );
});

test.each(ownWays.map((way) => [titleOf(way), way] as const))(
  "usage that never comes after the end delays the answer only briefly: %s",
  async (_, way) => {
    sent = { odd: [way.protocol.text("Hel"), way.protocol.end("stop"), silence], good: [] };
    const { deps, learned } = twoProviders(way);
    const heard = await hear(way.operation, deps, bodyOf(way));
    expect(heard).toMatchObject({ ends: way.prompts ?? 1, error: null, done: true });
    expect(learned.final).toMatchObject([{ status: "completed" }]);
  },
);

describe("an error before the first content lets another provider answer", () => {
  const toAnother = [...ownWays, ...packageWays].filter(({ kind }) => kind !== "cohere");
  test.each(cases(toAnother, errors))("$title: $name", async ({ way, ending }) => {
    const { operation, protocol, prompts = 1 } = way;
    sent = {
      odd: ending.sent(protocol),
      good: [protocol.text("Hello"), protocol.end("stop"), protocol.usage, done],
    };
    const { deps, learned } = twoProviders(way);
    const heard = await hearAnything(operation, deps, bodyOf(way));
    expect(heard).toMatchObject({ ends: prompts, error: null, text: "Hello".repeat(prompts), done: true });
    expect(learned.final).toMatchObject([{ status: "completed", provider: "good" }]);
    expect(learned.final[0]?.attempts).toHaveLength(2);
  });
});
