import { ChatRequest } from "#contract/chat.ts";
import { CompletionRequest } from "#contract/completions.ts";
import { ResponseRequest } from "#contract/responses.ts";
import { chat } from "#server/inference/operations/chat/operation.ts";
import { completions } from "#server/inference/operations/completions/operation.ts";
import { responsesWith } from "#server/inference/operations/responses/operation.ts";
import type { InferenceDeps } from "#server/inference/pipeline/request-context.ts";
import { serve } from "#server/inference/pipeline/serve.ts";
import { AppError } from "#server/platform/errors.ts";
import { keyCaller } from "./inference.ts";

const call = () => ({ requestId: "r", appTitle: null, signal: new AbortController().signal });
const ignore = () => {};

/** The three operations that stream, each asked for the same: "Hello", with `own` fields beside. */
export const asking = {
  chat: (deps: InferenceDeps, own: object) =>
    serve(
      deps,
      keyCaller,
      chat,
      ChatRequest.parse({ model: "m/x", messages: [{ role: "user", content: "Hello" }], ...own }),
      call(),
    ),
  completions: (deps: InferenceDeps, own: object) =>
    serve(
      deps,
      keyCaller,
      completions,
      CompletionRequest.parse({ model: "m/x", prompt: "Hello", ...own }),
      call(),
    ),
  responses(deps: InferenceDeps, own: object) {
    const request = ResponseRequest.parse({ model: "m/x", input: "Hello", ...own });
    const items = [{ type: "message", role: "user", content: "Hello" }];
    return serve(deps, keyCaller, responsesWith(ignore), { ...request, items, store: false }, call());
  },
} as const;
export type OperationName = keyof typeof asking;
export const operationNames = Object.keys(asking) as OperationName[];

type Value = Record<string, unknown>;

/** What a client makes of an answer, whichever operation it asked for. */
export interface Heard {
  /** How often the answer ended, counting errors. */
  readonly ends: number;
  /** The code of the error it ended in; null when it did not. */
  readonly error: string | null;
  readonly text: string;
  readonly reasoning: string;
  readonly refusal: string;
  /** Name and arguments of each call. */
  readonly calls: readonly (readonly [name: string, given: string])[];
  readonly finish: string | null;
  /** Whether `[DONE]` came. */
  readonly done: boolean;
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const list = (value: unknown): Value[] => (Array.isArray(value) ? (value as Value[]) : []);

/** OpenAI's code of a failure inside a stream, and ours in its metadata. */
const codeOf = (error: Value): string => text((error.metadata as Value | undefined)?.code);

function heardOfChoices(values: readonly Value[]): Omit<Heard, "done"> {
  const calls = new Map<number, [string, string]>();
  const heard = {
    ends: 0,
    error: null as string | null,
    text: "",
    reasoning: "",
    refusal: "",
    finish: null as string | null,
  };
  for (const value of values) {
    if (value.error) heard.error = codeOf(value.error as Value);
    for (const choice of list(value.choices)) {
      const said = (choice.message ?? choice.delta ?? choice) as Value;
      heard.text += text(said.content ?? said.text);
      heard.reasoning += text(said.reasoning);
      heard.refusal += text(said.refusal);
      for (const [position, call] of list(said.tool_calls).entries()) {
        const at = typeof call.index === "number" ? call.index : position;
        const [name, given] = calls.get(at) ?? ["", ""];
        const called = call.function as Value;
        calls.set(at, [name + text(called.name), given + text(called.arguments)]);
      }
      if (choice.finish_reason !== null) {
        heard.ends++;
        heard.finish = text(choice.finish_reason);
      }
    }
  }
  return { ...heard, calls: [...calls.values()] };
}

const endings = new Set(["response.completed", "response.incomplete", "response.failed"]);
const partsText = (deps: unknown, name: string): string =>
  list(deps)
    .map((part) => text(part[name]))
    .join("");

function heardOfResponses(values: readonly Value[]): Omit<Heard, "done"> {
  const ends = values.filter(({ type }) => endings.has(text(type)));
  const response = (ends[0]?.response ?? values.at(-1) ?? {}) as Value;
  const output = list(response.output);
  const messages = output.filter(({ type }) => type === "message");
  const said = (name: string) => messages.map(({ content }) => partsText(content, name)).join("");
  const failure = response.error as Value | null;
  return {
    ends: values.length === 1 ? 1 : ends.length,
    error: failure && text(failure.code),
    text: said("text"),
    reasoning: output
      .filter(({ type }) => type === "reasoning")
      .map(({ content }) => partsText(content, "text"))
      .join(""),
    refusal: said("refusal"),
    calls: output
      .filter(({ type }) => type === "function_call")
      .map((item) => [text(item.name), text(item.arguments)] as const),
    finish: text(response.status),
  };
}

/** Reads an answer to its end, streamed or not. Throws what `serve` throws. */
export async function hear(name: OperationName, deps: InferenceDeps, own: object): Promise<Heard> {
  const { frames, body } = await asking[name](deps, own);
  let events: string[] = [];
  if (frames) {
    let all = "";
    for await (const frame of frames) all += frame;
    events = [...all.matchAll(/^data: (.*)$/gm)].map(([, data]) => data ?? "");
  } else events = [JSON.stringify(body)];
  const values = events.filter((data) => data !== "[DONE]").map((data): Value => JSON.parse(data));
  const heard = name === "responses" ? heardOfResponses(values) : heardOfChoices(values);
  return { ...heard, done: events.at(-1) === "[DONE]" };
}

/** The same, but an error before the first content is returned instead of thrown. */
export const hearAnything = async (name: OperationName, deps: InferenceDeps, own: object) => {
  try {
    return await hear(name, deps, own);
  } catch (error) {
    if (error instanceof AppError) return { refused: error.code, message: error.message };
    throw error;
  }
};
