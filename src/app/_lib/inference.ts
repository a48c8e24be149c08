import { createParser } from "eventsource-parser";
import type { Failure } from "./failure.ts";
import { listOf, numberOf, recordOf, textOf } from "./json.ts";
import { monotonicMs } from "./use-now.ts";

/** What is known of an answer while it comes in, and at its end. */
export interface Answer {
  readonly text: string;
  readonly reasoning: string;
  /** Name and arguments of each tool the model wants called. */
  readonly toolCalls: readonly { readonly name: string; readonly arguments: string }[];
  /** For reranking: the documents, best first. */
  readonly ranking: readonly { readonly index: number; readonly score: number; readonly text: string }[];
  readonly usage: Usage | null;
  readonly generationId: string | null;
  readonly provider: string | null;
  readonly strategy: string | null;
  readonly fallbacks: number;
  readonly firstContentMs: number | null;
  readonly tookMs: number;
  readonly failure: Failure | null;
  readonly done: boolean;
}

export const noAnswer: Answer = {
  text: "",
  reasoning: "",
  toolCalls: [],
  ranking: [],
  usage: null,
  generationId: null,
  provider: null,
  strategy: null,
  fallbacks: 0,
  firstContentMs: null,
  tookMs: 0,
  failure: null,
  done: false,
};

/** What an answer took, as any of the operations spells it. */
interface Usage {
  readonly cost: number;
  readonly cost_eur: number;
  readonly tokensIn: number | undefined;
  readonly tokensOut: number | undefined;
}

function usageOf(value: unknown): Usage | null {
  const raw = recordOf(value);
  const [cost, cost_eur] = [numberOf(raw.cost), numberOf(raw.cost_eur)];
  if (cost === undefined || cost_eur === undefined) return null;
  return {
    cost,
    cost_eur,
    tokensIn: numberOf(raw.prompt_tokens) ?? numberOf(raw.input_tokens),
    tokensOut: numberOf(raw.completion_tokens) ?? numberOf(raw.output_tokens),
  };
}

const failed = (message: string, requestId: string | null, code = "PROVIDER_ERROR"): Failure => ({
  code,
  message,
  requestId,
});

/** Tool calls of a chunk are pieces: a new index begins one, the same index goes on with it. */
function joinCalls(known: Answer["toolCalls"], pieces: readonly unknown[]): Answer["toolCalls"] {
  const calls = [...known];
  for (const [position, piece] of pieces.entries()) {
    const { index, function: called } = recordOf(piece);
    const at = numberOf(index) ?? position;
    const before = calls[at] ?? { name: "", arguments: "" };
    const { name, arguments: given } = recordOf(called);
    calls[at] = { name: before.name + textOf(name), arguments: before.arguments + textOf(given) };
  }
  return calls;
}

const rankingOf = (results: readonly unknown[]): Answer["ranking"] =>
  results.map((result) => {
    const { index, relevance_score: score, document } = recordOf(result);
    return {
      index: numberOf(index) ?? 0,
      score: numberOf(score) ?? 0,
      text: textOf(recordOf(document).text),
    };
  });

/** An answer with what one event, or a complete body, adds to it. It is only shown, so unknown fields are ignored. */
export function withValue(answer: Answer, raw: unknown): Answer {
  const value = recordOf(raw);
  const type = textOf(value.type);
  let { text, reasoning, toolCalls } = answer;
  for (const one of listOf(value.choices)) {
    const choice = recordOf(one);
    const message = recordOf(choice.message ?? choice.delta);
    text += textOf(choice.text) + textOf(message.content);
    reasoning += textOf(message.reasoning);
    toolCalls = joinCalls(toolCalls, listOf(message.tool_calls));
  }
  if (type === "response.output_text.delta") text += textOf(value.delta);
  if (type.startsWith("response.reasoning") && type.endsWith(".delta")) reasoning += textOf(value.delta);
  for (const one of type === "response.output_item.done" ? [value.item] : listOf(value.output)) {
    const item = recordOf(one);
    if (item.type === "function_call")
      toolCalls = [...toolCalls, { name: textOf(item.name), arguments: textOf(item.arguments) }];
  }
  if (type === "") text += textOf(value.output_text);
  const response = recordOf(value.response);
  const error = textOf(recordOf(value.error ?? response.error).message);
  return {
    ...answer,
    text,
    reasoning,
    toolCalls,
    ranking: value.results ? rankingOf(listOf(value.results)) : answer.ranking,
    usage: usageOf(value.usage) ?? usageOf(response.usage) ?? answer.usage,
    failure: error ? failed(error, answer.failure?.requestId ?? null) : answer.failure,
  };
}

const hasContent = ({ text, reasoning, toolCalls, ranking }: Answer) =>
  text !== "" || reasoning !== "" || toolCalls.length > 0 || ranking.length > 0;

async function failureOfResponse(response: Response): Promise<Failure> {
  const envelope = recordOf(await response.json().catch(() => null));
  const { code, message } = recordOf(envelope.error);
  const requestId = textOf(envelope.requestId) || response.headers.get("x-request-id");
  return failed(
    textOf(message) || `The server answered with ${response.status}.`,
    requestId,
    textOf(code) || "PROVIDER_ERROR",
  );
}

/**
 * Sends one request of the playground and yields the answer as it grows; the last one is `done`. Never throws:
 * what goes wrong is the answer's `failure`.
 */
export async function* ask(path: string, body: unknown, signal: AbortSignal): AsyncGenerator<Answer> {
  const startedMs = monotonicMs();
  const tookMs = () => Math.round(monotonicMs() - startedMs);
  let answer = noAnswer;
  const add = (raw: unknown) => {
    answer = { ...withValue(answer, raw), tookMs: tookMs() };
    if (answer.firstContentMs === null && hasContent(answer))
      answer = { ...answer, firstContentMs: tookMs() };
  };
  try {
    const response = await fetch(`/api/playground${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      signal,
    });
    const header = (name: string) => response.headers.get(name);
    answer = {
      ...answer,
      generationId: header("x-generation-id"),
      provider: header("x-provider-slug"),
      strategy: header("x-routing-strategy"),
      fallbacks: Number(header("x-fallback-count") ?? 0),
    };
    if (!response.ok || !response.body) {
      answer = { ...answer, failure: await failureOfResponse(response) };
    } else if (header("content-type")?.startsWith("text/event-stream")) {
      const parser = createParser({ onEvent: ({ data }) => data !== "[DONE]" && add(JSON.parse(data)) });
      for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
        parser.feed(text);
        yield answer;
      }
    } else add(await response.json());
  } catch (error) {
    const stopped = signal.aborted;
    const message = stopped ? "Stopped." : "The connection was lost.";
    answer = { ...answer, failure: failed(message, null, stopped ? "STOPPED" : "UNREACHABLE") };
    if (!stopped && error instanceof SyntaxError)
      answer = { ...answer, failure: failed("The answer could not be read.", null) };
  }
  yield { ...answer, tookMs: tookMs(), done: true };
}
