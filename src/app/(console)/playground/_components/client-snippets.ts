import { listOf, recordOf } from "#app/_lib/json.ts";

interface ChatBody extends Readonly<Record<string, unknown>> {
  readonly model?: unknown;
  readonly messages?: unknown;
  readonly temperature?: unknown;
  readonly max_tokens?: unknown;
  readonly stream?: unknown;
}

const json = (value: unknown): string => JSON.stringify(value, null, 2).replaceAll("\n", "\n  ");

/** `name: value,` on a line of its own; nothing for a value that is not set. */
const member = (name: string, value: unknown): string =>
  value === undefined || value === null ? "" : `  ${name}: ${json(value)},\n`;

const isSystem = (message: unknown) => recordOf(message).role === "system";

/** Fields that the libraries have no name for are sent in the body as they are. */
function partsOf({ model, messages, temperature, max_tokens, stream: _, ...others }: ChatBody) {
  const all = listOf(messages);
  const system = all.find(isSystem);
  return {
    model,
    temperature,
    maxTokens: max_tokens,
    instructions: recordOf(system).content,
    /** Without the first system message, which is in `instructions`. */
    messages: all.filter((message) => message !== system),
    all,
    others: Object.values(others).some((value) => value != null) ? others : undefined,
  };
}

/** A chat request with the Vercel AI SDK, over OpenRouter's provider, which passes further fields on. */
export function vercelAi(origin: string, body: ChatBody): string {
  const { model, instructions, messages, temperature, maxTokens, others } = partsOf(body);
  const settings = others ? `, {\n    extraBody: ${json(others).replaceAll("\n", "\n  ")},\n  }` : "";
  return `import { createOpenRouter } from "@openrouter/ai-sdk-provider";
import { streamText } from "ai";

const portolan = createOpenRouter({
  baseURL: "${origin}/api/v1",
  apiKey: process.env.PORTOLAN_API_KEY,
});
const { textStream } = streamText({
  model: portolan.chat(${JSON.stringify(model)}${settings}),
${member("instructions", instructions)}${member("messages", messages)}${member("temperature", temperature)}${member("maxOutputTokens", maxTokens)}});
for await (const piece of textStream) process.stdout.write(piece);
`;
}

/** A chat request with LangChain. */
export function langChain(origin: string, body: ChatBody): string {
  const { model, all, temperature, maxTokens, others } = partsOf(body);
  return `import { ChatOpenAI } from "@langchain/openai";

const model = new ChatOpenAI({
  model: ${JSON.stringify(model)},
  apiKey: process.env.PORTOLAN_API_KEY,
  configuration: { baseURL: "${origin}/api/v1" },
${member("temperature", temperature)}${member("maxTokens", maxTokens)}${member("modelKwargs", others)}});
for await (const piece of await model.stream(${json(all).replaceAll("\n  ", "\n")})) process.stdout.write(piece.text);
`;
}
