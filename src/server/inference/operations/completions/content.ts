import type { CompletionRequest } from "#contract/completions.ts";
import type { MessagePart, TraceContent } from "#contract/trace-content.ts";
import type { CompletionChunk } from "#server/inference/wires/openai-completions/wire.ts";
import { limits } from "#server/platform/limits.ts";

/** The maximum of a trace. */
const tracedMax = limits.destinations.contentBytesMax / 2;

/** A prompt given as tokens has no text to show. */
const promptParts = (prompt: CompletionRequest["prompt"]): MessagePart[] =>
  typeof prompt !== "string" && prompt.some((part: unknown) => typeof part !== "string")
    ? [
        {
          type: "text",
          content: `[tokens] ${JSON.stringify(prompt.flat(1).slice(0, tracedMax))}`,
        },
      ]
    : ([prompt].flat(1) as string[]).map((content) => ({ type: "text", content }));

/** Prompt and completions, for traces. */
export function textContent(
  { prompt }: CompletionRequest,
  produced: readonly CompletionChunk[],
): TraceContent {
  const answers = new Map<number, { text: string; reasoning: string; finish: string | null }>();
  for (const { choices } of produced) {
    for (const { index, text, reasoning, finish_reason } of choices) {
      const known = answers.get(index) ?? { text: "", reasoning: "", finish: null };
      answers.set(index, {
        text: known.text + text,
        reasoning: known.reasoning + (reasoning ?? ""),
        finish: finish_reason ?? known.finish,
      });
    }
  }
  return {
    input: [{ role: "user", parts: promptParts(prompt) }],
    output: [...answers]
      .sort(([a], [b]) => a - b)
      .map(([, { text, reasoning, finish }]) => ({
        role: "assistant",
        parts: [
          ...(reasoning ? [{ type: "reasoning" as const, content: reasoning }] : []),
          { type: "text" as const, content: text },
        ],
        ...(finish !== null && { finish_reason: finish }),
      })),
  };
}
