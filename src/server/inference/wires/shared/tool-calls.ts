import type { ChatToolCall } from "#contract/chat.ts";
import { malformed } from "#server/inference/pipeline/failures.ts";
import { randomHex } from "#server/platform/ids.ts";
import { isJson, type Json, textOrNull } from "./json.ts";
import { jsonText } from "./provider-text.ts";

const nameless = () => malformed("it calls a tool without a name", 200);

/** Tools that are no functions have their call under the name of their type. */
const isOtherTool = ({ type, function: called }: Json): boolean =>
  called == null && typeof type === "string" && type !== "function";

/** A call's own id; of a provider that gives none, one of ours: the tool's answer must name it. */
const idOf = ({ id }: Json): string =>
  typeof id === "string" && id !== "" ? id : typeof id === "number" ? String(id) : `call_${randomHex(24)}`;

const listOf = (calls: unknown): readonly unknown[] =>
  calls == null ? [] : Array.isArray(calls) ? calls : [calls];

function repaired(call: unknown): ChatToolCall {
  if (!isJson(call)) throw nameless();
  const { function: called, ...rest } = call;
  const named = { ...rest, id: idOf(call), type: textOrNull(call.type) ?? "function" };
  if (isOtherTool(call)) return named;
  const name = isJson(called) && textOrNull(called.name);
  if (!name) throw nameless();
  const { arguments: given } = called;
  return { ...named, function: { ...called, name, arguments: given == null ? "{}" : jsonText(given) } };
}

/**
 * The tool calls of a complete message as OpenAI's clients read them: arguments as JSON text, and with an id. Null
 * when there are none. Throws `AttemptError` for a call that names no function.
 */
export function toolCalls(value: unknown): ChatToolCall[] | null {
  const calls = listOf(value).map(repaired);
  return calls.length > 0 ? calls : null;
}

/** A call that is being streamed. */
interface Open {
  readonly index: number;
  readonly upstreamId: string | null;
  /** Whether the client has heard of it; before that nobody knows which function is called. */
  told: boolean;
  /** Arguments that came before the name. */
  held: string;
  /** Arguments that came as a value: nothing can follow. */
  complete: boolean;
}

/** A piece of a call the client has heard of: no id, type or name again. Null when nothing is left. */
function continued(given: Json, called: Json, index: number, text: string): Json | null {
  const isRight = given.index === index && called.name === undefined && given.id === undefined;
  if (isRight && text !== "" && called.arguments === text) return given;
  const { id: _, type: __, function: ___, index: ____, ...rest } = given;
  if (text !== "") return { ...rest, index, function: { arguments: text } };
  return Object.keys(rest).length > 0 ? { ...rest, index } : null;
}

/** The streamed tool calls of one choice, put right piece by piece. Throws `AttemptError` as `toolCalls` does. */
export class StreamedCalls {
  readonly #calls = new Map<number, Open>();
  #count = 0;

  /** The pieces as they go on; null when they say nothing. */
  pieces(value: unknown): Json[] | null {
    const pieces: Json[] = [];
    for (const [position, piece] of listOf(value).entries()) {
      const next = this.#piece(piece, position);
      if (next) pieces.push(next);
    }
    return pieces.length > 0 ? pieces : null;
  }

  /** After the last piece. */
  end(): void {
    for (const { told } of this.#calls.values()) if (!told) throw nameless();
  }

  #piece(piece: unknown, position: number): Json | null {
    if (piece !== null && !isJson(piece)) throw nameless();
    const given = piece ?? {};
    const called = isJson(given.function) ? given.function : {};
    const name = textOrNull(called.name) || null;
    const at = typeof given.index === "number" ? given.index : position;
    const call = this.#callAt(at, given, name);
    if (isOtherTool(given)) {
      call.told = true;
      return { ...given, index: call.index };
    }
    const text = this.#argumentsOf(call, called.arguments);
    if (call.told) return continued(given, called, call.index, text);
    if (name === null) {
      // A call that begins with nothing will not become one.
      if (text === "" && call.upstreamId === null) throw nameless();
      call.held += text;
      return null;
    }
    call.told = true;
    return {
      ...given,
      index: call.index,
      id: idOf({ id: call.upstreamId }),
      type: given.type ?? "function",
      function: { ...called, name, arguments: call.held + text },
    };
  }

  /**
   * Another id beside a name is another call, whatever its index: some providers give every call the same. Without
   * an index a name begins a call.
   */
  #callAt(at: number, { id: given, index }: Json, name: string | null): Open {
    const id = typeof given === "string" || typeof given === "number" ? String(given) || null : null;
    const known = this.#calls.get(at);
    const isOther =
      known?.told && name !== null && (id === null ? index === undefined : id !== known.upstreamId);
    if (known && !isOther) return known;
    const call = { index: this.#count++, upstreamId: id, told: false, held: "", complete: false };
    this.#calls.set(at, call);
    return call;
  }

  #argumentsOf(call: Open, given: unknown): string {
    if (given == null || given === "") return "";
    if (call.complete) throw malformed("the arguments of a tool go on after their end", 200);
    call.complete = typeof given !== "string";
    return jsonText(given);
  }
}
