import type { ChatFinishReason } from "#contract/chat.ts";
import { malformed } from "#server/inference/pipeline/failures.ts";
import type { Reader } from "#server/inference/pipeline/operation.ts";
import { limits } from "#server/platform/limits.ts";
import { type ChatChunk, chatReader } from "../openai-chat/wire.ts";
import { failureOfError } from "../shared/error-body.ts";
import { isJson, type Json, textOrNull } from "../shared/json.ts";
import { ChatDeltas, type Spoken } from "./chat-deltas.ts";
import type { ResponseEvent } from "./events.ts";
import { repairedEvent, repairedItem } from "./repair.ts";

/** Usage under chat's names. */
const usageOf = (usage: unknown): Json | null =>
  isJson(usage)
    ? {
        prompt_tokens: usage.input_tokens,
        completion_tokens: usage.output_tokens,
        total_tokens: usage.total_tokens,
        prompt_tokens_details: usage.input_tokens_details,
        completion_tokens_details: usage.output_tokens_details,
      }
    : null;

interface Ending {
  readonly finish_reason: ChatFinishReason;
  readonly native_finish_reason: string;
}

/** How a response ended. Throws `AttemptError` if it failed, or did not end. */
function endingOf({ status, error, incomplete_details: details }: Json, hasCalls: boolean): Ending {
  if (status === "failed" || status === "cancelled") throw failureOfError(error);
  if (status === "completed")
    return { finish_reason: hasCalls ? "tool_calls" : "stop", native_finish_reason: status };
  if (status !== "incomplete") throw malformed("it ended before it was complete", 200);
  const reason = isJson(details) ? textOrNull(details.reason) : null;
  return {
    finish_reason: reason === "content_filter" ? "content_filter" : "length",
    native_finish_reason: reason ?? status,
  };
}

/** A chat completion, or a chunk of one, with one choice. */
const withChoice = (choice: Json, response?: Json): Json => ({
  choices: [{ index: 0, ...choice }],
  ...(response && { usage: usageOf(response.usage), service_tier: response.service_tier }),
});

const logprobsOf = (logprobs: readonly unknown[] | undefined) =>
  logprobs?.length ? { logprobs: { content: logprobs } } : {};

/** What the items of a response say, one after the other. Throws `AttemptError` for too many. */
function saidIn({ output }: Json, deltas: ChatDeltas): Spoken[] {
  if (!Array.isArray(output)) return [];
  if (output.length > limits.upstream.partsMax) throw malformed("it has too many items", 200);
  return output.flatMap(
    (item: unknown, output_index) =>
      deltas.next({ type: "response.output_item.done", output_index, item: repairedItem(item) }) ?? [],
  );
}

/** One message of what was said in pieces. */
function messageOf(pieces: readonly Spoken[]): Json {
  const texts = (name: "content" | "refusal" | "reasoning"): string | null => {
    const said = pieces.flatMap(({ delta }) => textOrNull(delta[name]) ?? []);
    return said.length > 0 ? said.join("") : null;
  };
  const lists = (name: "tool_calls" | "annotations" | "reasoning_details"): readonly Json[] =>
    pieces.flatMap(({ delta }) => {
      const list = delta[name];
      return Array.isArray(list) ? list.filter(isJson) : [];
    });
  const calls = lists("tool_calls").map(({ index: _, ...call }) => call);
  const [annotations, details] = [lists("annotations"), lists("reasoning_details")];
  return {
    role: "assistant",
    content: texts("content"),
    refusal: texts("refusal"),
    reasoning: texts("reasoning"),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(annotations.length > 0 && { annotations }),
    ...(details.length > 0 && { reasoning_details: details }),
  };
}

function completionOf(response: Json): Json {
  const deltas = new ChatDeltas();
  const pieces = saidIn(response, deltas);
  const ending = endingOf(response, deltas.hasCalls());
  const logprobs = pieces.flatMap((piece) => piece.logprobs ?? []);
  return withChoice({ message: messageOf(pieces), ...ending, ...logprobsOf(logprobs) }, response);
}

const isEvent = (value: Json): value is ResponseEvent => typeof value.type === "string";
const endings = new Set(["response.completed", "response.incomplete", "response.failed"]);

/** The last chunk; with everything that was said, if no event said anything before. */
function lastChunk({ response }: Json, deltas: ChatDeltas): Json {
  if (!isJson(response)) throw malformed("it ends without a response", 200);
  const pieces = deltas.hasBegun() ? [] : saidIn(response, deltas);
  const ending = endingOf(response, deltas.hasCalls());
  const { tool_calls: calls, role: _, ...message } = messageOf(pieces);
  const numbered = Array.isArray(calls) ? calls.map((call, index) => ({ ...call, index })) : null;
  const delta = pieces.length > 0 ? { ...message, ...(numbered && { tool_calls: numbered }) } : {};
  return withChoice({ delta, ...ending }, response);
}

/** Reads the answers of the responses operation, complete or in events, as answers of chat with one choice. */
export function responseChatReader(excludeReasoning: boolean): Reader<ChatChunk> {
  const chat = chatReader(1, excludeReasoning);
  const deltas = new ChatDeltas();
  const chunkOf = (event: ResponseEvent): Json | null => {
    if (endings.has(event.type)) return lastChunk(event, deltas);
    if (event.type === "error") throw failureOfError(event.error ?? event);
    const said = deltas.next(repairedEvent(event));
    return said && withChoice({ delta: said.delta, finish_reason: null, ...logprobsOf(said.logprobs) });
  };
  return {
    answer(value) {
      if (!isJson(value)) throw malformed("it is no object", 200);
      return chat.answer(completionOf(value));
    },
    event(value) {
      if (!isJson(value)) throw malformed("an event is no object", 200);
      const chunk = isEvent(value) ? chunkOf(value) : null;
      return chunk && chat.event(chunk);
    },
    finished: chat.finished,
    end: chat.end,
  };
}
