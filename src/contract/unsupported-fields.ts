import { z } from "zod";
import { AnyJson } from "./bounded.ts";
import { list } from "./list.ts";

/** A field that would change the result if it were ignored, so it is refused. `why` is its error message. */
export const notServed = (why: string) =>
  z.null({ error: why }).optional().describe("Not supported: must be null or left out.");

/** The same for a list, which may be empty. */
const notServedList = (why: string) =>
  list(AnyJson).max(0, why).nullish().describe("Not supported: must be an empty list, null or left out.");

/** Fields of OpenAI's and OpenRouter's text operations that would change what is answered, or whose text is sent. */
export const unsupportedFields = {
  plugins: notServedList("is not supported: send the results of searches and the text of files as messages"),
  web_search_options: notServed(
    "is not supported: send the results of searches as messages, or use /responses with a search tool of the provider",
  ),
  transforms: notServedList(
    "is not supported here: send a prompt that fits, or use /chat/completions, or /responses with truncation auto",
  ),
  route: z
    .literal("fallback", { error: "must be fallback: models are tried in the order of `models`" })
    .nullish()
    .describe("Only `fallback`, which is what `models` always does."),
};

/** The transforms of chat, where conversations can lose messages. */
export const chatTransforms = list(z.enum(["middle-out"], { error: "must be middle-out" }))
  .max(8)
  .nullish()
  .describe(
    "With `middle-out`, a conversation that is longer than the context window loses messages from its middle, and if necessary the middle of its longest text. The first and the last message remain, and tool calls stay with their results. The header `x-portolan-transforms` reports that. Otherwise it is refused.",
  );
