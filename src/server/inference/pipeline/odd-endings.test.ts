import type { ServerResponse } from "node:http";
import { afterAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { ErrorCode } from "#contract/errors.ts";
import { allowedHosts, Outbound } from "#server/platform/outbound.ts";
import { endpoint, model, price, provider } from "#test/catalogues.ts";
import type { Sent as Bytes, Scene } from "#test/dialects/dialect.ts";
import { dialects } from "#test/dialects/index.ts";
import {
  chatChunks,
  done,
  event,
  type Protocol,
  responseEvents,
  textChunks,
} from "#test/dialects/protocols.ts";
import { startUpstream } from "#test/dialects/server.ts";
import { inferenceOver } from "#test/inference.ts";
import { hear, hearAnything, type OperationName, operationNames } from "#test/operations.ts";
import { createUpstreams } from "./upstreams.ts";

vi.mock(import("#server/platform/limits.ts"), async (original) => {
  const { limits } = await original();
  return { limits: { ...limits, upstream: { ...limits.upstream, endTimeoutMs: 200 } } };
});

const upstream = await startUpstream();
const outbound = new Outbound(allowedHosts(["127.0.0.1"]));
afterAll(async () => {
  await outbound.close();
  await upstream.close();
});

/** Every way an operation can be streamed, and who reads the provider's protocol: we, or a package. */
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
/** Mistral tells usage in the chunk that ends an answer. */
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

/** How one ending comes out: complete with a reason, or failed with a code. */
interface Ending {
  readonly sent: (protocol: Protocol) => Sent;
  readonly ends: "stop" | ErrorCode;
  /** Where a package reads the protocol and sees no contradiction in it. */
  readonly readByPackage?: "stop" | "length" | ErrorCode;
}
const overloaded = "SERVICE_UNAVAILABLE";
const broken = "PROVIDER_ERROR";
const behindEnd = (sent: Sent, ends: ErrorCode): Ending => ({
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
  "an error with its status beside": failing(event({ error: "No", status: 429 }), "RATE_LIMIT_EXCEEDED"),
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
  "more behind a reason": {
    sent: ({ end, text }) => [end("stop"), text(" again"), done],
    ends: broken,
    readByPackage: "stop",
  },
  "an error behind a reason": behindEnd([event({ error: { message: "No", code: 503 } })], overloaded),
  "an error behind a reason, and [DONE]": behindEnd([event({ error: "overloaded" }), done], overloaded),
  "broken JSON behind a reason": behindEnd(['data: {"choices"\n\n'], broken),
  ...errors,
};

/** Sends `sent` piece by piece, then ends or breaks the connection. */
async function play(response: ServerResponse, sent: Sent): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const piece of sent) {
    if (piece === cut) return void response.destroy();
    if (piece === silence) return;
    await new Promise((written) => response.write(piece, written));
    // What is sent in pieces is to be read in pieces: a broken connection takes what was not read with it.
    await new Promise((turn) => setTimeout(turn, 5));
  }
  response.end();
}

/** Two providers of one model, the first of which is asked first. */
function twoProviders({ kind, api }: Way) {
  const at = (slug: string, figure: string) =>
    endpoint(
      provider(slug, { kind, baseUrl: `${upstream.origin}/${slug}` }),
      model("m/x", { supportedParameters: [] }),
      { apis: new Set([api]), price: price(figure) },
    );
  return inferenceOver([at("odd", "1"), at("good", "2")], createUpstreams(new Map()), outbound);
}

let sent: Record<"odd" | "good", Sent> = { odd: [], good: [] };
beforeEach(() => {
  upstream.received.length = 0;
  upstream.answer = (response, { path }) => {
    void play(response, path.startsWith("/odd") || path.includes("/compatibility") ? sent.odd : sent.good);
  };
});

const bodyOf = ({ prompts = 1 }: Way) => ({
  stream: true,
  provider: { sort: "price" },
  ...(prompts > 1 && { prompt: Array.from({ length: prompts }, () => "Hello") }),
});

/** Codes as each operation's streams tell them. */
const responseCodes: Partial<Record<ErrorCode, string>> = { RATE_LIMIT_EXCEEDED: "rate_limit_exceeded" };

const cases = (ways: readonly Way[], table: Readonly<Record<string, Ending>>) =>
  ways.flatMap((way) =>
    Object.entries(table).map(([name, ending]) => ({ title: titleOf(way), name, way, ending })),
  );

describe("however a stream ends, the client is told one end, and the true one", () => {
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
        // A package reads errors its own way: that there is one is what counts.
        const code = isResponse ? (responseCodes[ends] ?? "server_error") : ends;
        if (kind === openAi) expect(heard.error).toBe(code);
        else expect(heard.error).not.toBeNull();
        expect(heard.finish).toBe(isResponse ? "failed" : "error");
        expect(heard.done).toBe(isResponse);
      }
      // Of several bodies the first that fails ends them all, whatever the others have said by then.
      if (!isComplete && prompts > 1) expect(heard.text).toMatch(/^(Hel)+$/);
      else if (!read) expect(heard.text).toBe("Hel".repeat(prompts));
      expect(learned.final).toMatchObject([{ status: isComplete ? "completed" : "failed" }]);
    },
  );
});

test.each(ownWays.map((way) => [titleOf(way), way] as const))(
  "usage that does not come behind the end is not waited for long: %s",
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

describe.each(dialects.map((dialect) => [dialect.kind, dialect] as const))(
  "in the protocol of %s",
  (_, dialect) => {
    const scene: Scene = {
      reasoning: [],
      text: ["Hel", "lo"],
      call: null,
      usage: { prompt: 5, cacheRead: 0, completion: 3, reasoning: 0 },
    };
    const { kind, basePath, credential } = dialect;
    const sends = (...bodies: readonly Bytes[]) => {
      upstream.answer = (response) => {
        response.writeHead(200, { "content-type": bodies[0]?.type ?? "" });
        response.end(Buffer.concat(bodies.map(({ body }) => body)));
      };
    };
    function oneProvider() {
      const at = endpoint(
        provider("theirs", { kind, baseUrl: upstream.origin + basePath }),
        model("m/x", { supportedParameters: [] }),
        { upstreamModel: "model-of-theirs", apis: new Set(["chat"]) },
      );
      return inferenceOver([at], createUpstreams(new Map([["theirs", credential]])), outbound);
    }

    test.each(operationNames)("/%s ends once, and truly", async (operation) => {
      const isResponse = operation === "responses";
      const failed = { ends: 1, text: "Hello", finish: isResponse ? "failed" : "error" };
      const { deps } = oneProvider();
      sends(dialect.stream(scene, true));
      const complete = { ends: 1, error: null, text: "Hello", done: true };
      expect(await hear(operation, deps, { stream: true })).toMatchObject(complete);
      sends(dialect.stream(scene, false));
      expect(await hear(operation, deps, { stream: true })).toMatchObject(failed);
      sends(dialect.stream(scene, false), dialect.overloaded);
      const overload = isResponse ? "server_error" : "SERVICE_UNAVAILABLE";
      expect(await hear(operation, oneProvider().deps, { stream: true })).toMatchObject({
        ...failed,
        error: overload,
      });
      // Behind the end of its protocol a package may look at nothing any more.
      sends(dialect.stream(scene, true), dialect.overloaded);
      const behind = await hear(operation, oneProvider().deps, { stream: true });
      expect(behind).toMatchObject({ ends: 1, text: "Hello" });
      expect(behind.done).toBe(isResponse || behind.error === null);
    });

    test.each(operationNames)("/%s tells an error in place of an answer as what it is", async (operation) => {
      sends(dialect.overloaded);
      const heard = await hearAnything(operation, oneProvider().deps, { stream: true });
      expect(heard).toMatchObject({ refused: "SERVICE_UNAVAILABLE" });
    });
  },
);
