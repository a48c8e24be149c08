// How OpenAI answers /responses: complete, and in the order of events of its streaming reference.
import { joined, json, type Scene, type Sent, signatureOf, sse } from "#test/dialects/dialect.ts";
import type { Json } from "./shape.ts";

const head = { id: "resp_1", object: "response", created_at: 1_790_000_000, model: "model-of-theirs" };

function itemsOf({ reasoning, call, text }: Scene, isSealed: boolean): readonly Json[] {
  const thought = joined(reasoning);
  // Clients take items with one ID for the same item.
  const own = call?.id ?? "end";
  return [
    ...(reasoning.length === 0
      ? []
      : [
          {
            id: `rs_${own}`,
            type: "reasoning",
            summary: [{ type: "summary_text", text: thought }],
            ...(isSealed && { encrypted_content: signatureOf(thought) }),
          },
        ]),
    call
      ? {
          id: `fc_${own}`,
          type: "function_call",
          status: "completed",
          call_id: call.id,
          name: call.name,
          arguments: joined(call.input),
        }
      : {
          id: `msg_${own}`,
          type: "message",
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text: joined(text), annotations: [], logprobs: [] }],
        },
  ];
}

const responseWith = (scene: Scene, output: readonly Json[], status: string) => ({
  ...head,
  status,
  error: null,
  incomplete_details: null,
  output,
  usage:
    status === "completed"
      ? {
          input_tokens: scene.usage.prompt,
          input_tokens_details: { cached_tokens: scene.usage.cacheRead },
          output_tokens: scene.usage.completion,
          output_tokens_details: { reasoning_tokens: scene.usage.reasoning },
          total_tokens: scene.usage.prompt + scene.usage.completion,
        }
      : null,
});

export const responseOf = (scene: Scene, isSealed: boolean): Sent =>
  json(responseWith(scene, itemsOf(scene, isSealed), "completed"));

/** The events between an item's start and its end. */
function eventsOf(item: Json, at: object, { reasoning, call, text }: Scene): readonly Json[] {
  const part = { ...at, content_index: 0 };
  if (item.type === "reasoning") {
    const summary = { ...at, summary_index: 0 };
    const complete = { type: "summary_text", text: joined(reasoning) };
    return [
      { type: "response.reasoning_summary_part.added", ...summary, part: { ...complete, text: "" } },
      ...reasoning.map((delta) => ({ type: "response.reasoning_summary_text.delta", ...summary, delta })),
      { type: "response.reasoning_summary_text.done", ...summary, text: complete.text },
      { type: "response.reasoning_summary_part.done", ...summary, part: complete },
    ];
  }
  if (item.type === "function_call")
    return [
      ...(call?.input ?? []).map((delta) => ({
        type: "response.function_call_arguments.delta",
        ...at,
        delta,
      })),
      { type: "response.function_call_arguments.done", ...at, arguments: item.arguments },
    ];
  const complete = { type: "output_text", text: joined(text), annotations: [], logprobs: [] };
  return [
    { type: "response.content_part.added", ...part, part: { ...complete, text: "" } },
    ...text.map((delta) => ({ type: "response.output_text.delta", ...part, delta, logprobs: [] })),
    { type: "response.output_text.done", ...part, text: complete.text, logprobs: [] },
    { type: "response.content_part.done", ...part, part: complete },
  ];
}

/** An item when it begins: without what follows in events. */
const begun = (item: Json): Json => ({
  ...item,
  ...(item.status !== undefined && { status: "in_progress" }),
  ...(item.type === "message" && { content: [] }),
  ...(item.type === "function_call" && { arguments: "" }),
  ...(item.type === "reasoning" && { summary: [] }),
});

export function responseStream(scene: Scene, isSealed: boolean): Sent {
  const items = itemsOf(scene, isSealed);
  const events: readonly Json[] = [
    { type: "response.created", response: responseWith(scene, [], "in_progress") },
    { type: "response.in_progress", response: responseWith(scene, [], "in_progress") },
    ...items.flatMap((item, output_index) => [
      { type: "response.output_item.added", output_index, item: begun(item) },
      ...eventsOf(item, { output_index, item_id: item.id }, scene),
      { type: "response.output_item.done", output_index, item },
    ]),
    { type: "response.completed", response: responseWith(scene, items, "completed") },
  ];
  return sse(
    events.map((event, sequence_number) => [String(event.type), { ...event, sequence_number }] as const),
  );
}
