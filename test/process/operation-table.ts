import { until } from "#test/until.ts";
import type { TestServer } from "./server.ts";

type Body = Record<string, unknown>;

/** What came of one request, however the operation answers. */
export interface Outcome {
  readonly status: number;
  /** Null when nothing was served. */
  readonly generationId: string | null;
  /** The error's code, or that of a background response that failed. */
  readonly code: string | null;
  readonly text: string;
}

/** One operation in one of the ways it answers. */
export interface OperationCase {
  readonly name: string;
  readonly path: string;
  /** The type of model it asks for, and what the sandbox calls one. */
  readonly type: "chat" | "embedding" | "rerank";
  readonly upstreamModel: string;
  /** A valid request but for its model. */
  readonly body: Body;
  readonly background: boolean;
}

const text = "Where to, and how far is it?";
const messages = [{ role: "user", content: text }];
const sampled = { max_tokens: 12, seed: 5 };
const chat = { type: "chat", upstreamModel: "sandbox/chat", background: false } as const;
const conversation = { input: text, max_output_tokens: 12 };

/** Every inference operation in every way it answers. A new operation is a row here. */
export const operationTable: readonly OperationCase[] = [
  { name: "completions", path: "/completions", ...chat, body: { ...sampled, prompt: text } },
  {
    name: "completions, streamed",
    path: "/completions",
    ...chat,
    body: { ...sampled, prompt: text, stream: true },
  },
  { name: "chat", path: "/chat/completions", ...chat, body: { ...sampled, messages } },
  {
    name: "chat, streamed",
    path: "/chat/completions",
    ...chat,
    body: { ...sampled, messages, stream: true },
  },
  { name: "responses", path: "/responses", ...chat, body: conversation },
  { name: "responses, streamed", path: "/responses", ...chat, body: { ...conversation, stream: true } },
  {
    name: "responses, stored and truncated",
    path: "/responses",
    ...chat,
    body: { ...conversation, store: true, truncation: "auto" },
  },
  {
    name: "responses, in the background",
    path: "/responses",
    ...chat,
    body: { ...conversation, background: true, store: true },
    background: true,
  },
  { name: "messages", path: "/messages", ...chat, body: { max_tokens: 12, messages } },
  {
    name: "messages, streamed",
    path: "/messages",
    ...chat,
    body: { max_tokens: 12, messages, stream: true },
  },
  {
    name: "embeddings",
    path: "/embeddings",
    type: "embedding",
    upstreamModel: "sandbox/embed",
    body: { input: [text, "Vienna"] },
    background: false,
  },
  {
    name: "rerank",
    path: "/rerank",
    type: "rerank",
    upstreamModel: "sandbox/rerank",
    body: { query: text, documents: ["Vienna", "Paris"] },
    background: false,
  },
];

const ended = new Set(["completed", "failed", "cancelled", "incomplete"]);

/** Asks once and waits for the end of the answer. */
export async function askFor(
  server: Pick<TestServer, "post" | "send">,
  { path, body, background }: OperationCase,
  more: Body,
  key?: string,
): Promise<Outcome> {
  const as = key === undefined ? {} : { key };
  const response = await server.post(path, { ...body, ...more }, as);
  const answer = await response.text();
  const generationId = response.headers.get("x-generation-id");
  if (!background || response.status !== 200) {
    const code =
      response.status === 200 ? null : (JSON.parse(answer) as { error: { code: string } }).error.code;
    return { status: response.status, generationId, code, text: answer };
  }
  const { id } = JSON.parse(answer) as { id: string };
  return until(async () => {
    const read = await server.send("GET", `/responses/${id}`, as);
    const now = await read.text();
    const { status, error } = JSON.parse(now) as { status: string; error: { code: string } | null };
    if (read.ok && !ended.has(status)) throw new Error(`${id} is ${status}`);
    return { status: 200, generationId, code: error?.code ?? null, text: now };
  });
}
