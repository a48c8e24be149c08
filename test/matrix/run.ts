import type { z } from "zod";
import { ChatRequest } from "#contract/chat.ts";
import { CompletionRequest } from "#contract/completions.ts";
import { EmbeddingRequest } from "#contract/embeddings.ts";
import type { Api } from "#contract/inference-operations.ts";
import { MessagesRequest } from "#contract/messages.ts";
import { RerankRequest } from "#contract/rerank.ts";
import { ResponseRequest } from "#contract/responses.ts";
import { authorize } from "#server/access/authorize.ts";
import type { Endpoint } from "#server/catalog/index.ts";
import { serveChat } from "#server/inference/operations/chat/serve-chat.ts";
import { embeddings } from "#server/inference/operations/embeddings/operation.ts";
import { messages as messagesOperation } from "#server/inference/operations/messages/operation.ts";
import { prepareMessages } from "#server/inference/operations/messages/prepare.ts";
import { rerank } from "#server/inference/operations/rerank/operation.ts";
import { responsesWith } from "#server/inference/operations/responses/operation.ts";
import type { InferenceDeps } from "#server/inference/pipeline/request-context.ts";
import { serve } from "#server/inference/pipeline/serve.ts";
import { createUpstreams, type Upstreams } from "#server/inference/pipeline/upstreams.ts";
import { allowedHosts, Outbound } from "#server/platform/outbound.ts";
import type { Sessions } from "#server/policy/index.ts";
import { type LoopbackUpstream, startUpstream } from "#test/dialects/server.ts";
import { inferenceOver, keyCaller } from "#test/inference.ts";
import { asking } from "#test/operations.ts";
import { credential, play } from "#test/providers/serve.ts";
import type { Json } from "#test/providers/shape.ts";
import type { Nested } from "./nested.ts";
import { chatNested } from "./nested-chat.ts";
import { completionsNested } from "./nested-completions.ts";
import { messagesNested } from "./nested-messages.ts";
import { responsesNested } from "./nested-responses.ts";
import { type Came, faults, nestedOutcome, type Outcome, outcomeOf, unknownField } from "./outcome.ts";
import * as samples from "./samples.ts";
import { type Target, targets } from "./targets.ts";

interface Reply {
  readonly headers: Record<string, string>;
  readonly frames?: AsyncIterable<unknown> | undefined;
}
export interface Tested {
  readonly shape: Readonly<Record<string, z.ZodType>>;
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
    shape: ChatRequest.shape,
    samples: samples.chatSamples,
    nested: chatNested,
    streams: true,
    over: ["chat", "responses"],
    ask: (deps, own) => serveChat(deps, caller, ChatRequest.parse({ messages, ...own }), call()),
  },
  responses: {
    shape: ResponseRequest.shape,
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
    shape: MessagesRequest.shape,
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
    shape: CompletionRequest.shape,
    samples: samples.completionSamples,
    nested: completionsNested,
    streams: true,
    over: ["completions", "chat"],
    ask: asking.completions,
  },
  embeddings: {
    shape: EmbeddingRequest.shape,
    samples: samples.embeddingSamples,
    streams: false,
    over: ["embeddings"],
    ask: (deps, own) =>
      serve(deps, keyCaller, embeddings, EmbeddingRequest.parse({ input: ["a"], ...own }), call()),
  },
  rerank: {
    shape: RerankRequest.shape,
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

/** No request has a session, so none is stored; their table takes more time to make than a request. */
const sessions: Sessions = { endpointOf: () => undefined, served: () => {} };

/** How answers are cut is for other tests. */
const pieceBytes = 65_536;

/** Where requests are sent. */
export interface At {
  readonly upstream: LoopbackUpstream;
  readonly outbound: Outbound;
}

/** A target that requests can be sent to. */
interface Stage {
  readonly target: Target;
  readonly endpoint: Endpoint;
  readonly upstreams: Upstreams;
  readonly at: At;
}
const stageOf = (target: Target, at: At): Stage => ({
  target,
  endpoint: target.at(at.upstream.origin),
  upstreams: createUpstreams(new Map([["theirs", credential]])),
  at,
});

/** A request that comes to its end, whatever that is. */
async function come(
  { target, endpoint, upstreams, at: { upstream, outbound } }: Stage,
  operation: Api,
  own: Json,
): Promise<Came> {
  const played = play(target.mock);
  played.toolCalls = 0;
  played.pieceBytes = pieceBytes;
  upstream.answer = played.answer;
  const { deps } = inferenceOver([endpoint], upstreams, outbound, { sessions });
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
export const settingsOf = ({
  shape,
  samples: all,
  over,
}: Tested): (readonly [string, Exclude<samples.Sample, string>])[] => [
  ...Object.keys(shape).flatMap((field) => {
    const sample = all[field];
    return sample === undefined || typeof sample === "string" ? [] : ([[field, sample]] as const);
  }),
  ...(over.includes("chat") ? ([[unknownField, { value: "yes" }]] as const) : []),
];

const detailOf = ({ error, judged, headers }: Came): string => {
  const last = judged.at(-1);
  const refusals = judged.flatMap(({ refusal }) => (refusal ? [refusal.body] : []));
  return JSON.stringify({ error, sent: last?.body, said: refusals, headers });
};

/** What became of a request, found once for each request. */
export function asker(target: Target, operation: Api, at: At) {
  const stage = stageOf(target, at);
  const known = new Map<string, Came>();
  return async (own: Json): Promise<Came> => {
    const key = JSON.stringify(own);
    const came = known.get(key) ?? (await come(stage, operation, own));
    known.set(key, came);
    return came;
  };
}

/** Every field of an operation at one provider, and what is inside of fields, complete and streamed. */
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
      detail: faults.has(outcome) ? detailOf(came) : "",
    });
  for (const streamed of one.streams ? [false, true] : [false])
    for (const [field, sample] of settingsOf(one)) {
      const context = { ...sample.with, ...(streamed && { stream: true }) };
      const came = await ask({ ...context, [field]: sample.value });
      add(field, streamed, false, outcomeOf(field, sample, target.mock, came, await ask(context)), came);
    }
  for (const streamed of one.streams ? [false, true] : [false])
    for (const sample of one.nested ?? []) {
      const stream = streamed ? { stream: true } : {};
      if (!streamed && "stream" in sample.request) continue;
      const came = await ask({ ...sample.request, ...stream });
      const without = await ask({ ...sample.without, ...stream });
      add(sample.field, streamed, true, nestedOutcome(sample, target.mock, came, without), came);
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
