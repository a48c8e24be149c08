import { at, type Dialect, joined, json, type Scene, signatureOf, sse } from "./dialect.ts";

const usageOf = ({ usage }: Scene) => ({
  promptTokenCount: usage.prompt,
  cachedContentTokenCount: usage.cacheRead,
  candidatesTokenCount: usage.completion - usage.reasoning,
  thoughtsTokenCount: usage.reasoning,
  totalTokenCount: usage.prompt + usage.completion,
});
const head = { modelVersion: "model-of-theirs", responseId: "r1" };

/** A call is signed, which Gemini 3 wants back with it. */
const callPart = ({ call }: Scene) =>
  call
    ? [
        {
          functionCall: { name: call.name, args: JSON.parse(joined(call.input)) },
          thoughtSignature: signatureOf(joined(call.input)),
        },
      ]
    : [];

const candidate = (parts: readonly object[], finishReason?: string) => ({
  candidates: [{ index: 0, content: { role: "model", parts }, ...(finishReason && { finishReason }) }],
  ...head,
});

export const googleGemini: Dialect = {
  kind: "google",
  basePath: "/v1beta",
  credential: "google-test-key",
  auth: ["x-goog-api-key", "google-test-key"],
  completePath: "/v1beta/models/model-of-theirs:generateContent",
  streamPath: "/v1beta/models/model-of-theirs:streamGenerateContent?alt=sse",
  asked: {
    text: (body) => at(body, "contents", 0, "parts", 0, "text"),
    maxTokens: (body) => at(body, "generationConfig", "maxOutputTokens"),
    toolNames: (body) => [at(body, "tools", 0, "functionDeclarations", 0, "name")],
    toolAnswer: (body) => at(body, "contents", 2, "parts", 0, "functionResponse", "response", "content"),
  },
  complete: (scene) =>
    json({
      ...candidate(
        [
          ...(scene.reasoning.length === 0 ? [] : [{ text: joined(scene.reasoning), thought: true }]),
          ...(scene.call ? callPart(scene) : [{ text: joined(scene.text) }]),
        ],
        "STOP",
      ),
      usageMetadata: usageOf(scene),
    }),
  stream: (scene, ended) =>
    sse([
      ...scene.reasoning.map((text) => [null, candidate([{ text, thought: true }])] as const),
      ...(scene.call
        ? [[null, candidate(callPart(scene))] as const]
        : scene.text.map((text) => [null, candidate([{ text }])] as const)),
      ...(ended
        ? [[null, { ...candidate([{ text: "" }], "STOP"), usageMetadata: usageOf(scene) }] as const]
        : []),
    ]),
  overloaded: sse([
    [null, { error: { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" } }],
  ]),
  hasReasoning: true,
  embeddings: {
    path: "/v1beta/models/model-of-theirs:batchEmbedContents",
    answer: (vectors) => json({ embeddings: vectors.map((values) => ({ values })) }),
  },
};
