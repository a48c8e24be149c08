// Azure: learn.microsoft.com (Azure OpenAI v1 API, content filtering). OpenAI's API with deployments for models.
import type { Sent } from "#test/dialects/dialect.ts";
import { embeddingsOf } from "./embeddings.ts";
import type { Mock, Refusal, Rule } from "./mock.ts";
import { openAiChatRules } from "./openai.ts";
import { chatRoute, notFound, openAiError, openAiFailures, unknownToOpenAi } from "./openai-chat.ts";
import { responsesRoute } from "./openai-responses.ts";
import { any, type Json, number, oneOf, text } from "./shape.ts";

/** Names that an administrator chose, and what is deployed under them. */
export const deployments: Readonly<Record<string, string>> = {
  "prod-chat": "gpt-4.1",
  "prod-reasoning": "gpt-5",
  "prod-tools": "gpt-5.4",
  "prod-vectors": "text-embedding-3-small",
};

const filtered: Refusal = {
  status: 400,
  body: {
    error: {
      message:
        "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
      type: null,
      param: "prompt",
      code: "content_filter",
      status: 400,
      innererror: { code: "ResponsibleAIPolicyViolation", content_filter_result: {} },
    },
  },
};

const first = `data: ${JSON.stringify({
  id: "",
  object: "",
  created: 0,
  model: "",
  choices: [],
  prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }],
})}\n\n`;
/** A stream begins with what the filter says of the prompt. */
const withFilter = ({ type, body }: Sent): Sent =>
  type === "text/event-stream" ? { type, body: Buffer.concat([Buffer.from(first), body]) } : { type, body };

const isDeployed: Rule = ({ model }) =>
  String(model) in deployments
    ? null
    : openAiError(404, "The API deployment for this resource does not exist.", {
        code: "DeploymentNotFound",
      });
const ofModel = (body: Json): Json => ({ ...body, model: deployments[String(body.model)] });
/** OpenAI's rules for the model that is deployed. */
const deployed = (rules: readonly Rule[]): readonly Rule[] => [
  isDeployed,
  ...rules.map(
    (rule): Rule =>
      (body, asked) =>
        rule(ofModel(body), asked),
  ),
];

const chat = chatRoute({
  path: /^\/openai\/v1\/chat\/completions$/,
  rules: deployed(openAiChatRules),
});
const responses = responsesRoute(/^\/openai\/v1\/responses$/);

export const azure: Mock = {
  name: "azure",
  kind: "azure",
  basePath: "/openai/v1",
  models: ["prod-chat", "prod-reasoning", "prod-tools"],
  auth: ["api-key", ""],
  isStrict: true,
  routes: [
    { ...chat, answer: (...given) => withFilter(chat.answer(...given)) },
    {
      ...responses,
      rules: deployed(responses.rules),
      answer: ({ body, ...asked }, ...given) => responses.answer({ ...asked, body: ofModel(body) }, ...given),
    },
    embeddingsOf({
      path: /^\/openai\/v1\/embeddings$/,
      fields: {
        input: any,
        model: text,
        dimensions: number(1),
        encoding_format: oneOf("float", "base64"),
        user: text,
      },
      refuse: unknownToOpenAi,
    }),
  ],
  unauthorized: openAiError(401, "Access denied due to invalid subscription key.", {
    code: "401",
  }),
  notFound,
  failures: { ...openAiFailures, filtered },
};
