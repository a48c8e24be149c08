import { malformed } from "#server/inference/pipeline/failures.ts";
import { type ReasoningDetail, readDetails } from "#server/inference/reasoning/details.ts";
import { packDetails } from "#server/inference/reasoning/packed.ts";
import { limits } from "#server/platform/limits.ts";
import { Output, type ResponseEvent } from "../openai-responses/events.ts";
import { isJson, type Json, textOrNull } from "../shared/json.ts";
import { annotationOf, emptyPart, inputOf, type Words } from "./response-parts.ts";

/** What the request decides about the way an answer is written. */
export interface TranscriberOptions {
  /** Thoughts are shown as a summary, because one was asked for; else as they are. */
  readonly summary: boolean;
  /** Names of custom tools, which travel as functions with one text. */
  readonly customTools: ReadonlySet<string>;
  readonly newId: (prefix: string) => string;
}

interface Place {
  readonly item_id: string;
  readonly output_index: number;
}

/** A tool call under way. */
interface Call extends Place {
  readonly upstreamId: string | null;
  readonly custom: boolean;
  /** Arguments of a custom tool, which are only understood when they are whole. */
  json: string;
}

/** Writes down a chat answer, delta by delta, as the events of a response. */
export class ChatTranscriber {
  readonly output = new Output();
  readonly #options: TranscriberOptions;
  #events: ResponseEvent[] = [];
  #reasoning: Place | null = null;
  /** Signatures that belong to the next reasoning item that ends. */
  #details: ReasoningDetail[] = [];
  #message: (Place & { words: Words; content_index: number }) | null = null;
  readonly #calls = new Map<number, Call>();
  readonly #openCalls: Call[] = [];
  #ended = false;

  constructor(options: TranscriberOptions) {
    this.#options = options;
  }

  /** The events since the last time it was asked. */
  take(): readonly ResponseEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** Takes the next delta, or a whole message. What comes behind the end is not heard. */
  write(delta: Json, logprobs: readonly unknown[]): void {
    if (this.#ended) return;
    const reasoning = textOrNull(delta.reasoning);
    if (reasoning) this.#think(reasoning);
    if (delta.reasoning_details !== undefined) this.#details.push(...readDetails(delta.reasoning_details));
    const text = textOrNull(delta.content);
    if (text) this.#say("text", text, logprobs);
    const refusal = textOrNull(delta.refusal);
    if (refusal) this.#say("refusal", refusal, []);
    if (Array.isArray(delta.annotations)) for (const one of delta.annotations) this.#annotate(one);
    if (Array.isArray(delta.tool_calls))
      for (const [position, call] of delta.tool_calls.entries()) if (isJson(call)) this.#call(call, position);
  }

  /** Closes what is open. `whole` is false when the answer was cut off by a limit or a filter. */
  end(whole: boolean): void {
    if (this.#ended) return;
    this.#ended = true;
    const status = whole ? "completed" : "incomplete";
    this.#closeReasoning(status);
    this.#closeMessage(status);
    this.#closeDetails();
    for (const call of this.#openCalls) this.#closeCall(call, status);
  }

  #emit(event: ResponseEvent): void {
    this.output.apply(event);
    this.#events.push(event);
  }

  #open(prefix: string, item: Json): Place {
    const place = { item_id: this.#options.newId(prefix), output_index: this.output.length() };
    this.#emit({
      type: "response.output_item.added",
      output_index: place.output_index,
      item: { id: place.item_id, ...item, status: "in_progress" },
    });
    return place;
  }

  #close({ output_index }: Place, status: string, more: Json = {}): void {
    const item = { ...this.output.at(output_index), ...more, status };
    this.#emit({ type: "response.output_item.done", output_index, item });
  }

  #think(delta: string): void {
    this.#closeMessage("completed");
    const { summary } = this.#options;
    if (!this.#reasoning) {
      this.#reasoning = this.#open("rs", {
        type: "reasoning",
        summary: [],
        ...(!summary && { content: [] }),
      });
      const where = this.#reasoning;
      this.#emit(
        summary
          ? {
              type: "response.reasoning_summary_part.added",
              ...where,
              summary_index: 0,
              part: { type: "summary_text", text: "" },
            }
          : {
              type: "response.content_part.added",
              ...where,
              content_index: 0,
              part: { type: "reasoning_text", text: "" },
            },
      );
    }
    this.#emit(
      summary
        ? { type: "response.reasoning_summary_text.delta", ...this.#reasoning, summary_index: 0, delta }
        : { type: "response.reasoning_text.delta", ...this.#reasoning, content_index: 0, delta },
    );
  }

  #closeReasoning(status: string): void {
    const place = this.#reasoning;
    if (!place) return;
    this.#reasoning = null;
    const item = this.output.at(place.output_index);
    const { summary } = this.#options;
    const list = summary ? item?.summary : item?.content;
    const part: unknown = Array.isArray(list) ? list[0] : null;
    const text = isJson(part) ? part.text : "";
    if (summary) {
      this.#emit({ type: "response.reasoning_summary_text.done", ...place, summary_index: 0, text });
      this.#emit({ type: "response.reasoning_summary_part.done", ...place, summary_index: 0, part });
    } else {
      this.#emit({ type: "response.reasoning_text.done", ...place, content_index: 0, text });
      this.#emit({ type: "response.content_part.done", ...place, content_index: 0, part });
    }
    this.#close(place, status, this.#takePacked());
  }

  /** The signatures so far, in the form in which clients send them back. */
  #takePacked(): Json {
    const packed = packDetails(this.#details);
    this.#details = [];
    return packed === null ? {} : { encrypted_content: packed };
  }

  /** Signatures without text, such as that of a tool call, are an item of their own. */
  #closeDetails(): void {
    if (this.#details.length === 0) return;
    const packed = this.#takePacked();
    if (packed.encrypted_content === undefined) return;
    const place = this.#open("rs", { type: "reasoning", summary: [], ...packed });
    this.#close(place, "completed");
  }

  #say(words: Words, delta: string, logprobs: readonly unknown[]): void {
    this.#closeReasoning("completed");
    const { item_id, output_index, content_index } = this.#speaking(words);
    const where = { item_id, output_index, content_index };
    this.#emit(
      words === "text"
        ? { type: "response.output_text.delta", ...where, delta, logprobs }
        : { type: "response.refusal.delta", ...where, delta },
    );
  }

  /** The part of the message that is being written; a new one when words of another kind come. */
  #speaking(words: Words) {
    const before = this.#message;
    if (before?.words === words) return before;
    if (before) this.#closePart();
    else this.#closeDetails();
    const place = before ?? this.#open("msg", { type: "message", role: "assistant", content: [] });
    const { item_id, output_index } = place;
    const message = { item_id, output_index, words, content_index: before ? before.content_index + 1 : 0 };
    this.#message = message;
    const { content_index } = message;
    const part = emptyPart[words]();
    this.#emit({ type: "response.content_part.added", item_id, output_index, content_index, part });
    return message;
  }

  #annotate(value: unknown): void {
    const annotation = annotationOf(value);
    if (!annotation) return;
    const { item_id, output_index, content_index } = this.#speaking("text");
    const annotation_index = this.#annotations();
    this.#emit({
      type: "response.output_text.annotation.added",
      item_id,
      output_index,
      content_index,
      annotation_index,
      annotation,
    });
  }

  #annotations(): number {
    const part = this.#part();
    return part && Array.isArray(part.annotations) ? part.annotations.length : 0;
  }

  #part(): Json | null {
    const message = this.#message;
    if (!message) return null;
    const content = this.output.at(message.output_index)?.content;
    const part: unknown = Array.isArray(content) ? content[message.content_index] : null;
    return isJson(part) ? part : null;
  }

  #closePart(): void {
    const message = this.#message;
    const part = this.#part();
    if (!message || !part) return;
    const { item_id, output_index, content_index, words } = message;
    const where = { item_id, output_index, content_index };
    this.#emit(
      words === "text"
        ? { type: "response.output_text.done", ...where, text: part.text, logprobs: part.logprobs }
        : { type: "response.refusal.done", ...where, refusal: part.refusal },
    );
    this.#emit({ type: "response.content_part.done", ...where, part: { ...part } });
  }

  #closeMessage(status: string): void {
    const message = this.#message;
    if (!message) return;
    this.#closePart();
    this.#message = null;
    this.#close(message, status);
  }

  #call(piece: Json, position: number): void {
    const index = typeof piece.index === "number" ? piece.index : position;
    const made = isJson(piece.function) ? piece.function : {};
    const id = textOrNull(piece.id);
    const known = this.#calls.get(index);
    // Some upstreams give every call the index 0: another id is another call.
    const call =
      known && (!id || id === known.upstreamId) ? known : this.#openCall(index, id, textOrNull(made.name));
    const delta = textOrNull(made.arguments);
    if (!delta) return;
    const { item_id, output_index } = call;
    if (call.custom) call.json += delta;
    else this.#emit({ type: "response.function_call_arguments.delta", item_id, output_index, delta });
  }

  #openCall(index: number, id: string | null, given: string | null): Call {
    if (this.#openCalls.length >= limits.upstream.partsMax)
      throw malformed("it has too many tool calls", 200);
    this.#closeReasoning("completed");
    this.#closeMessage("completed");
    this.#closeDetails();
    const name = given ?? "";
    const custom = this.#options.customTools.has(name);
    const call_id = id || this.#options.newId("call");
    const place = custom
      ? this.#open("ctc", { type: "custom_tool_call", call_id, name, input: "" })
      : this.#open("fc", { type: "function_call", call_id, name, arguments: "" });
    const call = { ...place, upstreamId: id, custom, json: "" };
    this.#calls.set(index, call);
    this.#openCalls.push(call);
    return call;
  }

  #closeCall({ custom, json, item_id, output_index }: Call, status: string): void {
    const where = { item_id, output_index };
    if (custom) {
      const input = inputOf(json);
      if (input) this.#emit({ type: "response.custom_tool_call_input.delta", ...where, delta: input });
      this.#emit({ type: "response.custom_tool_call_input.done", ...where, input });
    } else {
      const { name, arguments: text } = this.output.at(output_index) ?? {};
      this.#emit({ type: "response.function_call_arguments.done", ...where, name, arguments: text });
    }
    this.#close(where, status);
  }
}
