import { malformed } from "#server/inference/pipeline/failures.ts";
import type { Reader, Wire } from "#server/inference/pipeline/operation.ts";
import { tableOf } from "#server/platform/table.ts";
import { failureOfError } from "../shared/error-body.ts";
import { isJson, type Json, textOrNull } from "../shared/json.ts";
import type { MessageEnding, MessagesChunk } from "./chunk.ts";
import { NativeContent } from "./native-content.ts";
import { nativeBody } from "./native-request.ts";
import { anthropicUsage } from "./native-usage.ts";
import type { PreparedMessages } from "./prepared-messages.ts";

/** Our word for each of Anthropic's reasons; any other is an ordinary stop. */
const finishReasons = tableOf<string>({
  tool_use: "tool_calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "content_filter",
});

const nothing = { usage: null, hasContent: false, text: "", finishReason: null, nativeFinishReason: null };

/** Members of a message, or of its end, that are Anthropic's own and not about its content. */
function extrasOf({ container, context_management: edits }: Json): Json {
  return { ...(container != null && { container }), ...(edits != null && { context_management: edits }) };
}

/** How a message, or the event with its end, says that it ended; null if it does not say so. */
function endingOf(value: Json, usage: Json): MessageEnding | null {
  const stopReason = textOrNull(value.stop_reason);
  if (!stopReason) return null;
  const extras = extrasOf(value);
  return { stopReason, stopSequence: textOrNull(value.stop_sequence), extras, usage };
}

const finished = (ending: MessageEnding, content: () => readonly Json[]): MessagesChunk => ({
  ...nothing,
  usage: anthropicUsage(ending.usage ?? {}),
  hasContent: true,
  finishReason: finishReasons[ending.stopReason] ?? "stop",
  nativeFinishReason: ending.stopReason,
  events: [],
  content,
  ending,
  serviceTier: textOrNull(ending.usage?.service_tier),
});

/** The members of a usage that are set: an event may repeat some, and leave out others. */
const known = (usage: unknown): Json =>
  Object.fromEntries(Object.entries(isJson(usage) ? usage : {}).filter(([, value]) => value !== null));

function completeAnswer(value: unknown): MessagesChunk {
  if (!isJson(value) || !Array.isArray(value.content) || !value.content.every(isJson))
    throw malformed("it is no message", 200);
  const content: readonly Json[] = value.content;
  const ending = endingOf(value, known(value.usage));
  if (!ending) throw malformed("it names no end", 200);
  const text = content.map(({ text, thinking, input }) =>
    [textOrNull(text), textOrNull(thinking), isJson(input) ? JSON.stringify(input) : null].join(""),
  );
  return { ...finished(ending, () => content), text: text.join("") };
}

/** Blocks that are visible to a client from their start. */
const isVisible = (block: unknown): boolean =>
  isJson(block) && block.type !== "text" && block.type !== "thinking";

function nativeReader(): Reader<MessagesChunk> {
  const blocks = new NativeContent();
  const content = () => blocks.content();
  let usage: Json = {};
  let ending: MessageEnding | null = null;
  /** What becomes of each event; all others pass as they are. */
  const events = tableOf<(event: Json) => MessagesChunk | null>({
    ping: () => null,
    message_stop: () => null,
    error({ error }) {
      throw failureOfError(error);
    },
    message_start({ message }) {
      usage = known(isJson(message) ? message.usage : null);
      return { ...nothing, events: [], content, ending: null, startUsage: usage };
    },
    message_delta({ delta, usage: more, ...rest }) {
      usage = { ...usage, ...known(more) };
      ending = endingOf({ ...rest, ...(isJson(delta) ? delta : {}) }, usage) ?? ending;
      return { ...nothing, usage: anthropicUsage(usage), events: [], content, ending: null };
    },
  });
  return {
    answer: completeAnswer,
    event(value) {
      if (!isJson(value)) throw malformed("an event is no object", 200);
      const type = textOrNull(value.type);
      if (type === null) return null;
      const own = events[type];
      if (own) return own(value);
      if (ending) throw malformed("it goes on after its end", 200);
      const text = blocks.apply(value);
      const hasContent = text !== "" || isVisible(value.content_block);
      return { ...nothing, text, hasContent, events: [{ ...value, type }], content, ending: null };
    },
    finished: () => ending !== null,
    end() {
      if (!ending) throw malformed("it ended before it was complete", 200);
      return finished(ending, content);
    },
  };
}

/** Upstreams with Anthropic's own API: the request goes as it came, and events pass as they come. */
export const nativeMessages: Wire<PreparedMessages, MessagesChunk> = {
  api: "messages",
  encode: nativeBody,
  headers: ({ protocolHeaders }) => protocolHeaders,
  reader: nativeReader,
};
