import type {
  ChatChoice,
  ChatCompletion,
  ChatFinishReason,
  ChatMessage,
  ChatRequest,
  ChatToolCall,
} from "#contract/chat.ts";
import type { ChatPiece } from "#server/inference/wires/openai-chat/wire.ts";
import type { Spoken } from "#server/inference/wires/shared/assistant-message.ts";
import { AppError } from "#server/platform/errors.ts";

const refused = (param: string, problem: string) =>
  new AppError("BAD_REQUEST", `${param}: ${problem}`, { param });

/** Whether the client uses the older form, so that calls are returned to it as `function_call`. */
export const usesFunctions = ({ functions }: ChatRequest): boolean => (functions?.length ?? 0) > 0;

/** Calls of a conversation in the older form, which have no id of their own. */
class UnnamedCalls {
  readonly #used: Set<string>;
  readonly #open: { readonly name: string; readonly id: string }[] = [];
  #count = 0;

  constructor(messages: readonly ChatMessage[]) {
    this.#used = new Set(messages.flatMap(({ tool_calls: calls }) => (calls ?? []).map(({ id }) => id)));
  }

  /** The same for the same beginning of a conversation, and in a form that every provider accepts. */
  #nextId(): string {
    for (;;) {
      const id = `call${String(++this.#count).padStart(5, "0")}`;
      if (!this.#used.has(id)) return id;
    }
  }

  called({ name, arguments: given }: { name: string; arguments: string }): ChatToolCall {
    const id = this.#nextId();
    this.#open.push({ name, id });
    return { id, type: "function", function: { name, arguments: given } };
  }

  /** The id of the last call of a function that has no result yet. */
  answered(name: string | null | undefined): string | null {
    const at = this.#open.findLastIndex((call) => call.name === name);
    return this.#open.splice(at, at === -1 ? 0 : 1)[0]?.id ?? null;
  }
}

function translated(message: ChatMessage, at: number, calls: UnnamedCalls): ChatMessage {
  const { function_call: call, ...rest } = message;
  if (message.role === "function") {
    const { name, ...result } = rest;
    if (!name)
      throw refused(
        `messages.${at}.name`,
        "is required: the name of the function, where the role is function",
      );
    const id = calls.answered(name);
    if (id === null)
      throw refused(
        `messages.${at}.name`,
        "no earlier message has a function_call of this name without a result",
      );
    return { ...result, role: "tool", content: message.content ?? "", tool_call_id: id };
  }
  if (call === undefined) return message;
  if (call === null || message.role !== "assistant") return rest;
  return { ...rest, tool_calls: [calls.called(call), ...(message.tool_calls ?? [])] };
}

function choiceOf(choice: ChatRequest["function_call"]): ChatRequest["tool_choice"] {
  if (choice == null || typeof choice === "string") return choice;
  return { type: "function", function: { name: choice.name } };
}

/**
 * The request with tools instead of `functions`, `function_call` and messages of the role `function`; the same object
 * if it has none of them. Throws BAD_REQUEST if it mixes both forms, or if a result belongs to no call.
 */
export function withTools(request: ChatRequest): ChatRequest {
  const { functions, function_call: choice, messages, ...rest } = request;
  const isOlder = messages.some((one) => one.role === "function" || one.function_call !== undefined);
  if (functions === undefined && choice === undefined && !isOlder) return request;
  const calls = new UnnamedCalls(messages);
  const current = { ...rest, messages: messages.map((message, at) => translated(message, at, calls)) };
  if (!functions?.length) {
    if (choice != null) throw refused("function_call", "is only allowed together with functions");
    return current;
  }
  for (const name of ["tools", "tool_choice"] as const)
    if (request[name] != null)
      throw refused(name, "cannot be combined with functions; send one of the two forms");
  return {
    ...current,
    tools: functions.map((one) => ({ type: "function", function: one })),
    ...(choice != null && { tool_choice: choiceOf(choice) }),
    // The older form has place for one call.
    parallel_tool_calls: false,
  };
}

/** The first call in the older form, and further ones as they are. */
function olderCalls<Call extends { readonly function?: unknown }>(
  calls: readonly Call[],
  isFirst: (call: Call) => boolean,
): { function_call?: NonNullable<Call["function"]>; tool_calls?: Call[] } {
  const at = calls.findIndex((call) => call.function != null && isFirst(call));
  const called = calls[at]?.function;
  if (called == null) return { tool_calls: [...calls] };
  const further = calls.toSpliced(at, 1);
  return { function_call: called, ...(further.length > 0 && { tool_calls: further }) };
}

const olderReason = (reason: ChatFinishReason | null): ChatFinishReason | null =>
  reason === "tool_calls" ? "function_call" : reason;

function olderDelta(delta: Spoken): Spoken {
  const { tool_calls: calls, ...rest } = delta;
  if (!calls) return delta;
  // All pieces of a call have its number.
  const { tool_calls: further, ...called } = olderCalls(calls, ({ index }) => index === 0);
  const renumbered = further?.map((call) => ({ ...call, index: Number(call.index) - 1 }));
  return { ...rest, ...called, ...(renumbered && { tool_calls: renumbered }) };
}

function olderMessage(message: ChatChoice["message"]): ChatChoice["message"] {
  const { tool_calls: calls, ...rest } = message;
  return calls ? { ...rest, ...olderCalls(calls, () => true) } : message;
}

/** A choice of a stream in the older form. */
export const legacyPiece = ({ delta, ...piece }: ChatPiece): ChatPiece => ({
  ...piece,
  finish_reason: olderReason(piece.finish_reason),
  ...(delta && { delta: olderDelta(delta) }),
});

/** A complete answer in the older form. */
export const legacyCompletion = (answer: ChatCompletion): ChatCompletion => ({
  ...answer,
  choices: answer.choices.map((choice) => ({
    ...choice,
    message: olderMessage(choice.message),
    finish_reason: olderReason(choice.finish_reason),
  })),
});
