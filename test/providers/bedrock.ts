// Amazon Bedrock: docs.aws.amazon.com (Converse and ConverseStream), and the types of @aws-sdk/client-bedrock-runtime.
import { bedrockConverse } from "#test/dialects/bedrock.ts";
import { claudeRules } from "./anthropic-models.ts";
import { type Asked, type Mock, type Refusal, type Rule, sceneOf, shaped } from "./mock.ts";
import {
  any,
  flag,
  isJson,
  type Json,
  list,
  listOf,
  number,
  object,
  oneOf,
  pathText,
  record,
  text,
  union,
} from "./shape.ts";

const failure = (status: number, type: string, message: string): Refusal => ({
  status,
  body: { message },
  headers: { "x-amzn-errortype": type },
});
const refused = (message: string): Refusal => failure(400, "ValidationException", message);

const bytes = object({ bytes: text, s3Location: record });
const cachePoint = object({ type: oneOf("default"), ttl: oneOf("5m", "1h") }, ["type"]);
const image = object({ format: oneOf("png", "jpeg", "gif", "webp"), source: bytes }, ["format", "source"]);
const document = object({ format: text, name: text, source: record, context: text, citations: record }, [
  "name",
  "source",
]);
const block = union({
  text,
  image,
  document,
  video: object({ format: text, source: bytes }),
  audio: object({ format: text, source: bytes }),
  cachePoint,
  guardContent: record,
  toolUse: object({ toolUseId: text, name: text, input: any }, ["toolUseId", "name", "input"]),
  toolResult: object({
    toolUseId: text,
    content: list(union({ text, json: any, image, document })),
    status: oneOf("success", "error"),
    type: text,
  }),
  reasoningContent: union({
    reasoningText: object({ text, signature: text }, ["text"]),
    redactedContent: text,
  }),
});
const fields = object(
  {
    messages: list(
      object({ role: oneOf("user", "assistant"), content: list(block, { min: 1 }) }, ["role", "content"]),
      { min: 1 },
    ),
    system: list(union({ text, cachePoint, guardContent: record })),
    inferenceConfig: object({
      maxTokens: number(1),
      temperature: number(0, 1),
      topP: number(0, 1),
      stopSequences: list(text),
    }),
    toolConfig: object(
      {
        tools: list(
          union({
            toolSpec: object({
              name: text,
              description: text,
              inputSchema: object({ json: record }),
              strict: flag,
            }),
            systemTool: record,
            cachePoint,
          }),
          { min: 1 },
        ),
        toolChoice: union({ auto: record, any: record, tool: object({ name: text }) }),
      },
      ["tools"],
    ),
    additionalModelRequestFields: record,
    additionalModelResponseFieldPaths: list(text),
    guardrailConfig: record,
    performanceConfig: record,
    promptVariables: record,
    requestMetadata: record,
    outputConfig: record,
    serviceTier: object({ type: oneOf("default", "flex", "priority", "reserved") }),
  },
  ["messages"],
);

const memberOf = (value: unknown, name: string): Json => {
  const inner = isJson(value) ? value[name] : null;
  return isJson(inner) ? inner : {};
};
const blocksOf = (message: Json | undefined): readonly Json[] => listOf(message?.content);
const holds = (name: string) => (one: Json) => one[name] !== undefined;
const modelOf = ({ path }: Asked): string => decodeURIComponent(path.split("/")[2] ?? "");
const isClaude = (asked: Asked): boolean => /anthropic\.claude/.test(modelOf(asked));

/** The block as Anthropic's own API has it, as far as its rules look at it. */
const asClaude = (one: Json): Json => {
  const { toolUse, toolResult, reasoningContent } = one;
  if (toolUse !== undefined) return { type: "tool_use", id: memberOf(one, "toolUse").toolUseId };
  if (toolResult !== undefined) return { type: "tool_result" };
  if (reasoningContent === undefined) return { type: "text" };
  const { text: thinking, signature } = memberOf(reasoningContent, "reasoningText");
  return thinking === undefined ? { type: "redacted_thinking" } : { type: "thinking", thinking, signature };
};
const claudeBody = (body: Json, asked: Asked): Json => {
  const { temperature, topP: top_p, maxTokens: max_tokens } = memberOf(body, "inferenceConfig");
  const [choice] = Object.keys(memberOf(body.toolConfig, "toolChoice"));
  return {
    ...memberOf(body, "additionalModelRequestFields"),
    model: modelOf(asked),
    ...(temperature !== undefined && { temperature }),
    ...(top_p !== undefined && { top_p }),
    max_tokens: max_tokens ?? 4_096,
    ...(choice && { tool_choice: { type: choice } }),
    messages: listOf(body.messages).map((message) => ({
      role: message.role,
      content: blocksOf(message).map(asClaude),
    })),
  };
};
const additional: readonly (readonly [model: RegExp, names: ReadonlySet<string>])[] = [
  [/anthropic\.claude/, new Set(["thinking", "output_config", "top_k", "anthropic_beta", "tool_choice"])],
  [/openai\./, new Set(["reasoning_effort"])],
  [/amazon\.nova/, new Set(["inferenceConfig", "reasoningConfig"])],
];

const alternates: Rule = ({ messages }) => {
  const roles = listOf(messages).map(({ role }) => role);
  if (roles[0] !== "user") return refused("A conversation must start with a user message.");
  return roles.some((role, at) => role === roles[at + 1])
    ? refused("A conversation must alternate between user and assistant roles.")
    : null;
};
const rules: readonly Rule[] = [
  shaped(fields, ({ path, message }) =>
    refused(`The format of the value at ${pathText(path)} is incorrect: ${message}`),
  ),
  alternates,
  ({ messages, toolConfig }) =>
    toolConfig === undefined &&
    listOf(messages).some((message) =>
      blocksOf(message).some((one) => holds("toolUse")(one) || holds("toolResult")(one)),
    )
      ? refused("The toolConfig field must be defined when using toolUse and toolResult content blocks.")
      : null,
  ({ messages }) =>
    listOf(messages).some((message) =>
      blocksOf(message).some(({ text: said }) => typeof said === "string" && said.trim() === ""),
    )
      ? refused("The text field in the ContentBlock object is blank.")
      : null,
  (body, asked) => {
    const known = additional.find(([model]) => model.test(modelOf(asked)))?.[1] ?? new Set<string>();
    const names = Object.keys(memberOf(body, "additionalModelRequestFields"));
    const unknown = names.find((name) => !known.has(name));
    return unknown === undefined ? null : refused(`${unknown}: Extra inputs are not permitted`);
  },
  ...claudeRules(refused).map(
    (rule): Rule =>
      (body, asked) =>
        isClaude(asked) ? rule(claudeBody(body, asked), asked) : null,
  ),
];

export const bedrock: Mock = {
  name: "bedrock",
  kind: "bedrock",
  basePath: "",
  models: ["eu.anthropic.claude-sonnet-4-5-20250929-v1:0", "mistral.mistral-large-2407-v1:0"],
  auth: ["authorization", "Bearer "],
  isStrict: true,
  routes: [
    {
      api: "chat",
      path: /^\/model\/[^/]+\/converse(-stream)?$/,
      rules,
      streams: ({ path }) => path.endsWith("-stream"),
      answer(asked, streamed, toolCalls) {
        const { body } = asked;
        const [tool] = listOf(memberOf(body, "toolConfig").tools);
        const { name } = memberOf(tool, "toolSpec");
        const results = listOf(body.messages).flatMap((message) =>
          blocksOf(message).filter(holds("toolResult")),
        );
        const { type } = memberOf(memberOf(body, "additionalModelRequestFields"), "thinking");
        const thinks = type === "enabled" || type === "adaptive";
        const id = `toolu_${thinks ? "thought" : ""}${results.length}`;
        const wanted = { tool: typeof name === "string" ? name : null, results: results.length, thinks };
        const scene = sceneOf(wanted, toolCalls, id);
        return streamed ? bedrockConverse.stream(scene, true) : bedrockConverse.complete(scene);
      },
    },
  ],
  unauthorized: failure(403, "AccessDeniedException", "Authentication failed."),
  notFound: failure(404, "UnknownOperationException", ""),
  failures: {
    "too long": refused("Input is too long for requested model."),
    "model timeout": failure(408, "ModelTimeoutException", "The model timed out."),
    "model error": failure(424, "ModelErrorException", "The model failed."),
    "not ready": failure(429, "ModelNotReadyException", "The model is not ready."),
    "rate limit": failure(429, "ThrottlingException", "Too many requests."),
    overloaded: failure(503, "ServiceUnavailableException", "The service is unavailable."),
  },
};
