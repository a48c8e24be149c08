interface ModelKind {
  readonly output: string;
  /** Parameters that endpoints support unless the catalogue lists others. */
  readonly parameters: readonly string[];
}

/** Kinds of models, as the catalogue names them. */
export const modelKinds = {
  chat: {
    output: "text",
    parameters: [
      "temperature",
      "top_p",
      "top_k",
      "min_p",
      "max_tokens",
      "max_completion_tokens",
      "stop",
      "seed",
      "n",
      "frequency_penalty",
      "presence_penalty",
      "repetition_penalty",
      "logit_bias",
      "logprobs",
      "top_logprobs",
      "tools",
      "tool_choice",
      "response_format",
      "structured_outputs",
    ],
  },
  embedding: { output: "embedding", parameters: ["dimensions"] },
  rerank: { output: "scores", parameters: ["top_n", "return_documents"] },
} as const satisfies Record<string, ModelKind>;

export type ModelType = keyof typeof modelKinds;
export const modelTypes = Object.keys(modelKinds) as readonly ModelType[];

export interface OperationRow {
  /** Path of the POST below `/api/v1`. */
  readonly path: `/${string}`;
  /** Other paths that are served in the same way. */
  readonly aliases?: readonly `/${string}`[];
  /** Whether it can answer as a stream of events. */
  readonly streams: boolean;
  readonly modelType: ModelType;
  /**
   * Operations an endpoint may offer to serve this one. Chat can carry requests that use nothing beyond it, and
   * responses what chat can carry.
   */
  readonly carriers: readonly string[];
  /** Whether a provider offers it unless its entry in the catalogue lists its operations. */
  readonly offeredByDefault: boolean;
  /** Name in traces, by the semantic conventions of OpenTelemetry where they have one. */
  readonly traceName: string;
  /** The shape of its errors, unless it is the usual one. */
  readonly errorShape?: "anthropic";
  /** The event that keeps a silent stream open; otherwise it is a comment. */
  readonly heartbeatEvent?: "ping";
  /** Headers of the client about the protocol, sent on to endpoints that speak it. */
  readonly protocolHeaders?: readonly string[];
}

/**
 * Every inference operation, in the order of the reference. The list of names, the catalogue, routing, traces and the
 * console derive from this table; schemas and code are in `src/server/inference/operation-table.ts`.
 */
export const inferenceOperations = {
  chat: {
    path: "/chat/completions",
    streams: true,
    modelType: "chat",
    carriers: ["chat", "responses"],
    offeredByDefault: true,
    traceName: "chat",
  },
  responses: {
    path: "/responses",
    streams: true,
    modelType: "chat",
    carriers: ["responses", "chat"],
    offeredByDefault: false,
    traceName: "chat",
  },
  messages: {
    path: "/messages",
    streams: true,
    modelType: "chat",
    carriers: ["messages", "chat", "responses"],
    offeredByDefault: false,
    traceName: "chat",
    errorShape: "anthropic",
    heartbeatEvent: "ping",
    protocolHeaders: ["anthropic-version", "anthropic-beta"],
  },
  completions: {
    path: "/completions",
    streams: true,
    modelType: "chat",
    carriers: ["completions", "chat"],
    offeredByDefault: true,
    traceName: "text_completion",
  },
  embeddings: {
    path: "/embeddings",
    streams: false,
    modelType: "embedding",
    carriers: ["embeddings"],
    offeredByDefault: true,
    traceName: "embeddings",
  },
  rerank: {
    path: "/rerank",
    // Cohere's client sends requests to this path when the API is its base URL.
    aliases: ["/v2/rerank"],
    streams: false,
    modelType: "rerank",
    carriers: ["rerank"],
    offeredByDefault: true,
    traceName: "rerank",
  },
} as const satisfies Record<string, OperationRow>;

/** The path of the operation `responses` that compacts a conversation. */
export const compactionPath = "/responses/compact";

/** Name of an inference operation, as the catalogue and the records spell it. */
export type Api = keyof typeof inferenceOperations;
export const apis = Object.keys(inferenceOperations) as readonly Api[];

/** Operations an endpoint may offer to serve this one. */
export const carriersOf = (api: Api): readonly Api[] => inferenceOperations[api].carriers;

/** The row of an operation with the members that only some rows have. */
export const operationRow = (api: Api): OperationRow => inferenceOperations[api];
