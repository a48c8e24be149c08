import { ChatRequest } from "#contract/chat.ts";
import { CompletionRequest } from "#contract/completions.ts";
import { EmbeddingRequest } from "#contract/embeddings.ts";
import type { Api } from "#contract/inference-operations.ts";
import { MessagesRequest } from "#contract/messages.ts";
import { RerankRequest } from "#contract/rerank.ts";
import { ResponseRequest } from "#contract/responses.ts";
import { authorize } from "#server/access/authorize.ts";
import { serveChat } from "#server/inference/operations/chat/serve-chat.ts";
import { embeddings } from "#server/inference/operations/embeddings/operation.ts";
import { messages as messagesOperation } from "#server/inference/operations/messages/operation.ts";
import { prepareMessages } from "#server/inference/operations/messages/prepare.ts";
import { rerank } from "#server/inference/operations/rerank/operation.ts";
import { responsesWith } from "#server/inference/operations/responses/operation.ts";
import type { InferenceDeps } from "#server/inference/pipeline/request-context.ts";
import { serve } from "#server/inference/pipeline/serve.ts";
import { createUpstreams } from "#server/inference/pipeline/upstreams.ts";
import { allowedHosts, Outbound } from "#server/platform/outbound.ts";
import { type LoopbackUpstream, startUpstream } from "#test/dialects/server.ts";
import { inferenceOver, keyCaller } from "#test/inference.ts";
import { asking } from "#test/operations.ts";
import { credential, play } from "#test/providers/serve.ts";
import type { Json } from "#test/providers/shape.ts";
import type { Nested } from "./nested.ts";
import { chatNested } from "./nested-chat.ts";
import { messagesNested } from "./nested-messages.ts";
import { responsesNested } from "./nested-responses.ts";
import { type Came, nestedOutcome, type Outcome, outcomeOf, unknownField } from "./outcome.ts";
import * as samples from "./samples.ts";
import { type Target, targets } from "./targets.ts";

interface Reply {
  readonly headers: Record<string, string>;
  readonly frames?: AsyncIterable<unknown> | undefined;
}
interface Tested {
  readonly fields: readonly string[];
  readonly samples: Readonly<Record<string, samples.Sample>>;
  /** What is inside the fields. */
  readonly nested?: readonly Nested[];
  readonly streams: boolean;
  /** The operations of a provider that can carry it. */
  readonly over: readonly Api[];
  readonly ask: (deps: InferenceDeps, own: Json) => Promise<Reply>;
}

const ignore = () => {};
const call = () => ({ requestId: "r", appTitle: null, signal: new AbortController().signal });

const caller = authorize(
  { ...keyCaller, permissions: new Set(["inference:use"]) },
  "inference:use",
  "workspace",
);
const messages = [{ role: "user", content: "Hello" }];

/** Every operation that clients have, with what is sent besides the field in question. */
export const tested: Readonly<Record<Api, Tested>> = {
  chat: {
    fields: Object.keys(ChatRequest.shape),
    samples: samples.chatSamples,
    nested: chatNested,
    streams: true,
    over: ["chat", "responses"],
    ask: (deps, own) => serveChat(deps, caller, ChatRequest.parse({ messages, ...own }), call()),
  },
  responses: {
    fields: Object.keys(ResponseRequest.shape),
    samples: samples.responseSamples,
    nested: responsesNested,
    streams: true,
    over: ["responses", "chat"],
    ask(deps, { items, ...own }) {
      const request = ResponseRequest.parse({ input: "Hello", ...own });
      const given = Array.isArray(request.input)
        ? request.input
        : [{ type: "message", role: "user", content: request.input }];
      const conversation = Array.isArray(items) ? items : given;
      return serve(
        deps,
        keyCaller,
        responsesWith(ignore),
        { ...request, items: conversation, store: false },
        call(),
      );
    },
  },
  messages: {
    fields: Object.keys(MessagesRequest.shape),
    samples: samples.messagesSamples,
    nested: messagesNested,
    streams: true,
    over: ["messages", "chat", "responses"],
    ask: (deps, own) =>
      serve(
        deps,
        keyCaller,
        messagesOperation,
        prepareMessages(MessagesRequest.parse({ messages, max_tokens: 4_000, ...own })),
        call(),
      ),
  },
  completions: {
    fields: Object.keys(CompletionRequest.shape),
    samples: samples.completionSamples,
    streams: true,
    over: ["completions", "chat"],
    ask: asking.completions,
  },
  embeddings: {
    fields: Object.keys(EmbeddingRequest.shape),
    samples: samples.embeddingSamples,
    streams: false,
    over: ["embeddings"],
    ask: (deps, own) =>
      serve(deps, keyCaller, embeddings, EmbeddingRequest.parse({ input: ["a"], ...own }), call()),
  },
  rerank: {
    fields: Object.keys(RerankRequest.shape),
    samples: samples.rerankSamples,
    streams: false,
    over: ["rerank"],
    ask: (deps, own) =>
      serve(
        deps,
        keyCaller,
        rerank,
        RerankRequest.parse({ query: "a", documents: ["b", "c"], ...own }),
        call(),
      ),
  },
};

/** One field of one operation at one provider. */
export interface Cell {
  readonly target: string;
  readonly operation: Api;
  readonly field: string;
  readonly streamed: boolean;
  readonly isNested: boolean;
  readonly outcome: Outcome;
  /** What was sent or said, for a fault. */
  readonly detail: string;
}

interface At {
  readonly upstream: LoopbackUpstream;
  readonly outbound: Outbound;
}

/** A request that comes to its end, whatever that is. */
async function come(target: Target, operation: Api, own: Json, { upstream, outbound }: At): Promise<Came> {
  const played = play(target.mock);
  played.toolCalls = 0;
  upstream.answer = played.answer;
  const upstreams = createUpstreams(new Map([["theirs", credential]]));
  const endpoint = target.at(upstream.origin);
  const { deps } = inferenceOver([endpoint], upstreams, outbound);
  const { judged } = played;
  try {
    const { headers, frames } = await tested[operation].ask(deps, { model: endpoint.model.id, ...own });
    if (frames) for await (const _ of frames);
    return { headers, error: null, judged };
  } catch (error) {
    const { param, message }: { param?: unknown; message?: unknown } = error instanceof Error ? error : {};
    return { headers: null, error: `${param}: ${message}`, judged };
  }
}

/** The fields that are sent to providers; an unknown one stands for all that are not in our schemas. */
const settingsOf = ({
  fields,
  samples: all,
  over,
}: Tested): (readonly [string, Exclude<samples.Sample, string>])[] => [
  ...fields.flatMap((field) => {
    const sample = all[field];
    return sample === undefined || typeof sample === "string" ? [] : ([[field, sample]] as const);
  }),
  ...(over.includes("chat") ? ([[unknownField, { value: "yes" }]] as const) : []),
];

const detailOf = ({ error, judged, headers }: Came): string => {
  const last = judged.at(-1);
  return JSON.stringify({ error, sent: last?.body, said: last?.refusal?.body, headers });
};

/** What became of a request, found once for each request. */
function asker(target: Target, operation: Api, at: At) {
  const known = new Map<string, Came>();
  return async (own: Json): Promise<Came> => {
    const key = JSON.stringify(own);
    const came = known.get(key) ?? (await come(target, operation, own, at));
    known.set(key, came);
    return came;
  };
}

/** Every field of an operation at one provider, complete and streamed; what is inside fields in turns. */
async function cellsOf(target: Target, operation: Api, at: At): Promise<readonly Cell[]> {
  const one = tested[operation];
  const ask = asker(target, operation, at);
  const cells: Cell[] = [];
  const add = (field: string, streamed: boolean, isNested: boolean, outcome: Outcome, came: Came) =>
    cells.push({
      target: target.title,
      operation,
      field,
      streamed,
      isNested,
      outcome,
      detail: detailOf(came),
    });
  for (const streamed of one.streams ? [false, true] : [false])
    for (const [field, sample] of settingsOf(one)) {
      const context = { ...sample.with, ...(streamed && { stream: true }) };
      const came = await ask({ ...context, [field]: sample.value });
      add(field, streamed, false, outcomeOf(field, sample, target.mock, came, await ask(context)), came);
    }
  for (const [index, sample] of (one.nested ?? []).entries()) {
    // Both would take twice the time: what is inside of fields does not depend on it.
    const stream = index % 2 === 1 ? { stream: true } : {};
    const came = await ask({ ...stream, ...sample.request });
    const without = await ask({ ...stream, ...sample.without });
    add(sample.field, index % 2 === 1, true, nestedOutcome(sample, target.mock, came, without), came);
  }
  return cells;
}

/** Sends every field to every provider and returns what became of it. */
export async function runMatrix(): Promise<readonly Cell[]> {
  const upstream = await startUpstream();
  const outbound = new Outbound(allowedHosts(["127.0.0.1"]));
  const cells: Cell[] = [];
  for (const target of targets)
    for (const [operation, { over }] of Object.entries(tested) as [Api, Tested][])
      if (over.some((api) => target.apis.includes(api)))
        cells.push(...(await cellsOf(target, operation, { upstream, outbound })));
  await outbound.close();
  await upstream.close();
  return cells;
}
