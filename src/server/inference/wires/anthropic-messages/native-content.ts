import { malformed } from "#server/inference/pipeline/failures.ts";
import { limits } from "#server/platform/limits.ts";
import { tableOf } from "#server/platform/table.ts";
import { isJson, type Json, textOrNull } from "../shared/json.ts";
import { inputOf } from "./transcriber.ts";

/** A block that is being streamed, and the text of its input if it calls a tool. */
interface OpenBlock {
  readonly block: Json;
  input: string;
}

const appended = (block: Json, name: string, text: unknown): void => {
  block[name] = (textOrNull(block[name]) ?? "") + (textOrNull(text) ?? "");
};

/** How each kind of delta goes into its block, and the member with what the model wrote. */
const deltas = tableOf<{
  readonly text?: string;
  readonly add: (open: OpenBlock, delta: Json) => void;
}>({
  text_delta: { text: "text", add: ({ block }, { text }) => appended(block, "text", text) },
  thinking_delta: {
    text: "thinking",
    add: ({ block }, { thinking }) => appended(block, "thinking", thinking),
  },
  input_json_delta: {
    text: "partial_json",
    add(open, { partial_json: json }) {
      open.input += textOrNull(json) ?? "";
    },
  },
  signature_delta: {
    add({ block }, { signature }) {
      block.signature = signature;
    },
  },
  citations_delta: {
    add({ block }, { citation }) {
      block.citations = [...(Array.isArray(block.citations) ? block.citations : []), citation];
    },
  },
});

/** Puts the blocks of a streamed message together, for traces. */
export class NativeContent {
  readonly #blocks: OpenBlock[] = [];

  /** Applies an event and returns what the model wrote in it. Throws `AttemptError` for one that cannot be read. */
  apply(event: Json): string {
    const { type, index, content_block: opening, delta } = event;
    if (type === "content_block_start") {
      if (!isJson(opening)) throw malformed("a block cannot be read", 200);
      if (index !== this.#blocks.length || this.#blocks.length >= limits.upstream.partsMax)
        throw malformed("its blocks are not in order", 200);
      this.#blocks.push({ block: { ...opening }, input: "" });
    }
    if (type !== "content_block_delta") return "";
    const open = typeof index === "number" ? this.#blocks[index] : undefined;
    if (!open || !isJson(delta)) throw malformed("a piece of a block cannot be read", 200);
    const how = deltas[String(delta.type)];
    how?.add(open, delta);
    return how?.text === undefined ? "" : (textOrNull(delta[how.text]) ?? "");
  }

  content(): Json[] {
    return this.#blocks.map(({ block, input }) =>
      input === "" ? block : { ...block, input: inputOf(input) },
    );
  }
}
