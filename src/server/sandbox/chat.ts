import { clock, unixSeconds } from "#server/platform/clock.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { type Generated, generate, reasoningTokensOf, type Token, usageOf } from "./generate.ts";
import type { Operation } from "./operation.ts";
import { jsonReply, type Step, send, streamReply } from "./reply.ts";
import { ChatRequest, parseBody } from "./request.ts";
import { schemaInstance } from "./schema-instance.ts";
import { hashText, seededRandom } from "./seeded.ts";
import { seededText, tokenize } from "./text.ts";

const tokensPerMessage = 4;

/** As OpenAI counts an image of low detail. */
const tokensPerImage = 85;

const isImage = (part: unknown): boolean =>
  typeof part === "object" && part !== null && "type" in part && part.type === "image_url";

/** Replaces the bytes of images and files by their hash. */
const withoutBytes = (_name: string, value: unknown): unknown =>
  typeof value === "string" && value.startsWith("data:") ? `data:${hashText(value).toString(36)}` : value;

const imagesOf = ({ messages }: ChatRequest): number =>
  messages.flatMap(({ content }) => (Array.isArray(content) ? content : [])).filter(isImage).length;

/** Roles and texts of all messages in order; parts that are not text count by their JSON, images without their bytes. */
function promptOf({ messages, tools }: ChatRequest): string {
  const lines = messages.map(
    ({ role, content }) =>
      `${role}: ${typeof content === "string" ? content : JSON.stringify(content ?? "", withoutBytes)}`,
  );
  return [...(tools?.length ? [JSON.stringify(tools)] : []), ...lines].join("\n");
}

/** The tool to call: the named one, else the first, unless tools are off or one has just answered. */
function toolFor({ tools, tool_choice, messages }: ChatRequest) {
  if (!tools?.length || tool_choice === "none") return null;
  if (typeof tool_choice === "object" && tool_choice) {
    return tools.find((tool) => tool.function.name === tool_choice.function.name) ?? null;
  }
  return messages.at(-1)?.role === "tool" ? null : (tools[0] ?? null);
}

function textFor(request: ChatRequest, seed: number): string {
  const random = seededRandom(seed);
  const tool = toolFor(request);
  if (tool) {
    return JSON.stringify(schemaInstance(tool.function.parameters ?? { type: "object" }, random));
  }
  const format = request.response_format;
  if (format?.type === "json_object") return JSON.stringify({ answer: seededText(seed) });
  if (format?.type === "json_schema") {
    return JSON.stringify(schemaInstance(format.json_schema?.schema ?? {}, random));
  }
  return seededText(seed);
}

const logprobOf = ({ text, logprob }: { text: string; logprob: number }) => ({
  token: text,
  logprob,
  bytes: [...Buffer.from(text)],
});

const logprobsOf = (tokens: readonly Token[], asked: boolean) =>
  asked
    ? {
        content: tokens.map((token) => ({
          ...logprobOf(token),
          top_logprobs: token.alternatives.map(logprobOf),
        })),
        refusal: null,
      }
    : null;

interface Shape {
  readonly asked: boolean;
  readonly tool: { readonly id: string; readonly name: string } | null;
}

const finishOf = (choice: Generated, { tool }: Shape) =>
  tool && choice.finish === "stop" ? "tool_calls" : choice.finish;

function messageOf(choice: Generated, { tool }: Shape): object {
  const text = choice.tokens.map((token) => token.text).join("");
  const reasoning = choice.reasoning.length ? { reasoning: choice.reasoning.join("") } : {};
  return tool
    ? {
        role: "assistant",
        content: null,
        ...reasoning,
        tool_calls: [
          {
            id: `${tool.id}_${choice.index}`,
            type: "function",
            function: { name: tool.name, arguments: text },
          },
        ],
      }
    : { role: "assistant", content: text, refusal: null, ...reasoning };
}

/** The events of one choice: role, reasoning, text or call, end. */
function* eventsOf(choice: Generated, shape: Shape, frame: (rest: object) => object): Generator<Step> {
  const { index } = choice;
  const event = (delta: object, tokens: readonly Token[], finish_reason: string | null, count: number) =>
    send(
      frame({ choices: [{ index, delta, logprobs: logprobsOf(tokens, shape.asked), finish_reason }] }),
      count,
    );
  yield event({ role: "assistant", content: shape.tool ? null : "" }, [], null, 0);
  for (const reasoning of choice.reasoning) yield event({ reasoning }, [], null, 1);
  if (shape.tool) {
    const { id, name } = shape.tool;
    const opening = {
      index: 0,
      id: `${id}_${index}`,
      type: "function",
      function: { name, arguments: "" },
    };
    yield event({ tool_calls: [opening] }, [], null, 0);
  }
  for (const token of choice.tokens) {
    const delta = shape.tool
      ? { tool_calls: [{ index: 0, function: { arguments: token.text } }] }
      : { content: token.text };
    yield event(delta, [token], null, 1);
  }
  yield event({}, [], finishOf(choice, shape), 0);
}

/** `POST /chat/completions`. */
export const chat: Operation = (body, site) => {
  const request = parseBody(ChatRequest, body);
  const prompt = promptOf(request);
  const promptTokens = tokenize(prompt);
  const cached = site.cache.read(`${site.name}/chat`, promptTokens);
  const seed = request.seed ?? hashText(prompt);
  const choices = Array.from({ length: request.n ?? 1 }, (_, index) =>
    generate({
      index,
      seed: seed + index,
      text: textFor(request, seed + index),
      reasoningTokens: reasoningTokensOf(request),
      maxTokens: request.max_completion_tokens ?? request.max_tokens,
      stop: request.stop,
      alternatives: request.top_logprobs ?? 0,
    }),
  );
  const { usage, counted } = usageOf(
    promptTokens.length + tokensPerMessage * request.messages.length + tokensPerImage * imagesOf(request),
    cached,
    choices,
  );
  const tool = toolFor(request);
  const shape = {
    asked: request.logprobs === true,
    tool: tool && { id: `call_${hashText(prompt).toString(36)}`, name: tool.function.name },
  };
  const head = {
    id: `chatcmpl-${uuidv7()}`,
    created: unixSeconds(clock.nowMs()),
    model: request.model,
    system_fingerprint: `sandbox-${site.name}`,
  };
  if (!request.stream) {
    const shaped = choices.map((choice) => ({
      index: choice.index,
      message: messageOf(choice, shape),
      logprobs: logprobsOf(choice.tokens, shape.asked),
      finish_reason: finishOf(choice, shape),
    }));
    return jsonReply({ ...head, object: "chat.completion", choices: shaped, usage }, counted);
  }
  const frame = (rest: object) => ({ ...head, object: "chat.completion.chunk", ...rest });
  const events = choices.flatMap((choice) => [...eventsOf(choice, shape, frame)]);
  if (request.stream_options?.include_usage) events.push(send(frame({ choices: [], usage })));
  return streamReply(events, counted);
};
