// Gemini: ai.google.dev/api (generateContent, function calling, thinking, thought signatures), and the request types of
// @google/genai.
import { json, signatureOf } from "#test/dialects/dialect.ts";
import { googleGemini } from "#test/dialects/google.ts";
import { inputsOf, vectors } from "./embeddings.ts";
import { type Asked, type Mock, type Refusal, type Rule, sceneOf, shaped } from "./mock.ts";
import {
  any,
  type Check,
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
} from "./shape.ts";

const failure = (
  code: number,
  status: string,
  message: string,
  details: readonly object[] = [],
): Refusal => ({
  status: code,
  body: { error: { code, message, status, ...(details.length > 0 && { details }) } },
});
const refused = (message: string): Refusal => failure(400, "INVALID_ARGUMENT", message);

/** The part of OpenAPI's schema that `parameters` may have; everything else is an unknown name. */
const schema: Check = (value, path) =>
  object({
    type: text,
    format: text,
    title: text,
    description: text,
    nullable: flag,
    enum: list(text),
    default: any,
    example: any,
    items: schema,
    minItems: any,
    maxItems: any,
    minLength: any,
    maxLength: any,
    minProperties: any,
    maxProperties: any,
    pattern: text,
    minimum: number(),
    maximum: number(),
    anyOf: list(schema),
    required: list(text),
    propertyOrdering: list(text),
    properties: (properties, at) => {
      if (!isJson(properties)) return record(properties, at);
      return list(schema)(Object.values(properties), at);
    },
  })(value, path);

const parts = list(
  object({
    text,
    thought: flag,
    thoughtSignature: text,
    functionCall: object({ id: text, name: text, args: record }, ["name"]),
    functionResponse: object({ id: text, name: text, response: record, parts: list(record) }, [
      "name",
      "response",
    ]),
    inlineData: object({ mimeType: text, data: text, displayName: text }, ["mimeType", "data"]),
    fileData: object({ mimeType: text, fileUri: text, displayName: text }, ["fileUri"]),
    videoMetadata: record,
  }),
  { min: 1 },
);
const fields = object(
  {
    contents: list(object({ role: oneOf("user", "model"), parts }, ["parts"]), { min: 1 }),
    systemInstruction: object({ role: text, parts }),
    tools: list(
      object({
        functionDeclarations: list(
          object(
            {
              name: text,
              description: text,
              parameters: schema,
              parametersJsonSchema: record,
              response: schema,
              behavior: text,
            },
            ["name"],
          ),
        ),
        googleSearch: record,
        codeExecution: record,
        urlContext: record,
      }),
    ),
    toolConfig: object({
      functionCallingConfig: object({
        mode: oneOf("AUTO", "ANY", "NONE", "VALIDATED"),
        allowedFunctionNames: list(text),
      }),
      retrievalConfig: record,
    }),
    safetySettings: list(record),
    cachedContent: text,
    serviceTier: text,
    generationConfig: object({
      candidateCount: number(1, 8),
      stopSequences: list(text, { max: 5 }),
      maxOutputTokens: number(1),
      temperature: number(0, 2),
      topP: number(0, 1),
      topK: number(0),
      seed: number(),
      presencePenalty: number(-2, 2),
      frequencyPenalty: number(-2, 2),
      responseLogprobs: flag,
      logprobs: number(0, 20),
      responseMimeType: text,
      responseSchema: schema,
      responseJsonSchema: record,
      responseModalities: list(text),
      speechConfig: record,
      mediaResolution: text,
      imageConfig: record,
      thinkingConfig: object({
        includeThoughts: flag,
        thinkingBudget: number(-1, 32_768),
        thinkingLevel: text,
      }),
    }),
  },
  ["contents"],
);

const configOf = ({ generationConfig: config }: Json): Json => (isJson(config) ? config : {});
const thinkingOf = (body: Json): Json => {
  const { thinkingConfig: config } = configOf(body);
  return isJson(config) ? config : {};
};
const is2 = ({ path }: Asked): boolean => /models\/gemini-2/.test(path);
const partsOf = (content: Json | undefined): readonly Json[] => listOf(content?.parts);

/** Documented values for a history that another model wrote. */
const bypass: ReadonlySet<unknown> = new Set([
  "skip_thought_signature_validator",
  "context_engineering_is_the_way_to_go",
]);
/** The first call of each turn since the user's last words. */
const signed: Rule = (body, asked) => {
  const contents = listOf(body.contents);
  const asks = contents.findLastIndex(
    (content) => content.role === "user" && partsOf(content).some(({ text: said }) => said !== undefined),
  );
  const at = contents.findIndex((content, index) => {
    const call = partsOf(content).find(({ functionCall }) => functionCall !== undefined);
    if (!call || index < asks || !isJson(call.functionCall)) return false;
    const signature = signatureOf(JSON.stringify(call.functionCall.args));
    return call.thoughtSignature !== signature && !bypass.has(call.thoughtSignature);
  });
  return at >= 0 && !is2(asked)
    ? refused(`Function call is missing a thought_signature in functionCall parts, position ${at}.`)
    : null;
};

const chatRules: readonly Rule[] = [
  shaped(fields, ({ path, kind, message }) =>
    refused(
      kind === "unknown"
        ? `Invalid JSON payload received. Unknown name "${path.at(-1)}" at '${pathText(path.slice(0, -1))}': Cannot find field.`
        : `Invalid value at '${pathText(path)}': ${message}`,
    ),
  ),
  (body) => {
    const { thinkingBudget: budget, thinkingLevel: level } = thinkingOf(body);
    return budget !== undefined && level !== undefined
      ? refused("You can only set only one of thinking budget and thinking level.")
      : null;
  },
  (body, asked) =>
    thinkingOf(body).thinkingLevel !== undefined && is2(asked)
      ? refused("Thinking level is not supported for this model.")
      : null,
  (body, asked) =>
    thinkingOf(body).thinkingBudget === 0 && !/flash/.test(asked.path)
      ? refused("Budget 0 is invalid. This model only works in thinking mode.")
      : null,
  signed,
  (body, asked) => {
    const { presencePenalty: presence, frequencyPenalty: frequency } = configOf(body);
    return is2(asked) && (presence !== undefined || frequency !== undefined)
      ? refused("Penalty is not enabled for this model")
      : null;
  },
  (body) => {
    const { responseLogprobs, logprobs } = configOf(body);
    return responseLogprobs || logprobs !== undefined
      ? refused("Logprobs is not enabled for this model")
      : null;
  },
  (body, asked) => {
    const { responseMimeType: type } = configOf(body);
    return is2(asked) && type === "application/json" && listOf(body.tools).length > 0
      ? refused("Function calling with a response mime type: 'application/json' is unsupported")
      : null;
  },
];

export const gemini: Mock = {
  name: "gemini",
  kind: "google",
  basePath: "/v1beta",
  models: ["gemini-2.5-flash", "gemini-3-pro-preview"],
  auth: ["x-goog-api-key", ""],
  isStrict: true,
  routes: [
    {
      api: "chat",
      path: /^\/v1beta\/models\/[^/:]+:(generateContent|streamGenerateContent)$/,
      rules: chatRules,
      streams: ({ path }) => path.endsWith(":streamGenerateContent"),
      answer({ body }, streamed, toolCalls) {
        const config = isJson(body.toolConfig) ? body.toolConfig.functionCallingConfig : null;
        const [tool] =
          isJson(config) && config.mode === "NONE"
            ? []
            : listOf(body.tools).flatMap(({ functionDeclarations: declared }) => listOf(declared));
        const results = listOf(body.contents).flatMap((content) =>
          partsOf(content).filter(({ functionResponse }) => functionResponse !== undefined),
        );
        const wanted = {
          tool: typeof tool?.name === "string" ? tool.name : null,
          results: results.length,
          thinks: thinkingOf(body).includeThoughts === true,
        };
        const scene = sceneOf(wanted, toolCalls, "");
        return streamed ? googleGemini.stream(scene, true) : googleGemini.complete(scene);
      },
    },
    {
      api: "embeddings",
      path: /^\/v1beta\/models\/[^/:]+:(embedContent|batchEmbedContents)$/,
      rules: [
        shaped(
          (value, path) => {
            const one = object(
              {
                model: text,
                content: object({ role: text, parts }),
                taskType: text,
                title: text,
                outputDimensionality: number(1),
              },
              ["content"],
            );
            return isJson(value) && value.requests !== undefined
              ? object({ requests: list(one, { min: 1, max: 100 }) })(value, path)
              : one(value, path);
          },
          ({ path, message }) => refused(`Invalid value at '${pathText(path)}': ${message}`),
        ),
      ],
      streams: () => false,
      answer: ({ body }) =>
        json(
          body.requests === undefined
            ? { embedding: { values: vectors(1)[0] } }
            : { embeddings: vectors(inputsOf(body.requests)).map((values) => ({ values })) },
        ),
    },
  ],
  unauthorized: failure(400, "INVALID_ARGUMENT", "API key not valid.", [{ reason: "API_KEY_INVALID" }]),
  notFound: failure(404, "NOT_FOUND", "Requested entity was not found."),
  failures: {
    "too long": refused("The input token count exceeds the maximum number of tokens allowed."),
    "rate limit": failure(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota.", [
      { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "1s" },
    ]),
    "daily limit": failure(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota.", [
      {
        "@type": "type.googleapis.com/google.rpc.QuotaFailure",
        violations: [{ quotaId: "GenerateRequestsPerDayPerProjectPerModel" }],
      },
    ]),
    blocked: { status: 200, body: { promptFeedback: { blockReason: "PROHIBITED_CONTENT" } } },
    overloaded: failure(503, "UNAVAILABLE", "The model is overloaded."),
  },
};
