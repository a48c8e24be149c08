/** What an error of a provider has to become. */
interface Becomes {
  readonly outcome: string;
  readonly retry: "endpoint" | "model" | "never";
  readonly blame: "provider" | "operator" | "request";
  readonly code: string;
  /** The field that the client reads in `param`. */
  readonly param?: string;
  readonly retryAfterMs?: number;
}

export interface RecordedError {
  readonly provider: string;
  readonly what: string;
  /** The kind by which the provider is called; OpenAI-compatible if absent. */
  readonly kind?: string;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly becomes: Becomes;
}

const rejected: Becomes = { outcome: "rejected", retry: "never", blame: "request", code: "BAD_REQUEST" };
const unsupported = (param: string): Becomes => ({
  outcome: "unsupported_parameter",
  retry: "endpoint",
  blame: "request",
  code: "BAD_REQUEST",
  param,
});
const invalid = (param: string): Becomes => ({ ...rejected, param });
const tooLong: Becomes = { outcome: "context_length", retry: "model", blame: "request", code: "BAD_REQUEST" };
const policy: Becomes = { outcome: "content_policy", retry: "model", blame: "request", code: "BAD_REQUEST" };
const quota: Becomes = { outcome: "quota", retry: "endpoint", blame: "operator", code: "PROVIDER_ERROR" };
const credential: Becomes = { ...quota, outcome: "credential" };
const missing: Becomes = {
  outcome: "model_missing",
  retry: "endpoint",
  blame: "provider",
  code: "PROVIDER_ERROR",
};
const fault: Becomes = { ...missing, outcome: "server_error" };
const limited: Becomes = {
  outcome: "rate_limited",
  retry: "endpoint",
  blame: "provider",
  code: "RATE_LIMIT_EXCEEDED",
};
const overRate: Becomes = { ...quota, outcome: "over_rate_limit", code: "PAYLOAD_TOO_LARGE" };
const overloaded: Becomes = { ...limited, outcome: "overloaded", code: "SERVICE_UNAVAILABLE" };

const openai = (message: string, more: object = {}) => ({
  error: { message, type: "invalid_request_error", param: null, code: null, ...more },
});
const anthropic = (message: string, type = "invalid_request_error") => ({
  type: "error",
  error: { type, message },
  request_id: "req_011",
});
const google = (code: number, status: string, message: string, ...details: object[]) => ({
  error: { code, message, status, details },
});
const detail = (loc: readonly (string | number)[], msg = "Extra inputs are not permitted") => ({
  detail: [
    { type: msg.startsWith("Extra") ? "extra_forbidden" : "value_error", loc, msg, input: "content policy" },
  ],
});
const rpc = (name: string, rest: object) => ({ "@type": `type.googleapis.com/google.rpc.${name}`, ...rest });
const overQuota = (quotaId: string) => rpc("QuotaFailure", { violations: [{ quotaId, quotaValue: "20" }] });
const currentQuota = "You exceeded your current quota, please check your plan and billing details.";

type Row = readonly [
  what: string,
  status: number,
  body: unknown,
  becomes: Becomes,
  headers?: Record<string, string>,
];

/** Bodies as providers answer them, shortened, by provider. Fields named in them are in `recordedRequest`. */
const tables: readonly (readonly [provider: string, kind: string | undefined, rows: readonly Row[]])[] = [
  [
    "openai",
    undefined,
    [
      [
        "unknown argument",
        400,
        openai("Unrecognized request argument supplied: top_k"),
        unsupported("top_k"),
      ],
      [
        "unknown nested field",
        400,
        openai("Unknown parameter: 'messages[0].reasoning_content'.", {
          param: "messages[0].reasoning_content",
          code: "unknown_parameter",
        }),
        unsupported("messages[0].reasoning_content"),
      ],
      [
        "parameter of other models",
        400,
        openai(
          "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
          { param: "max_tokens", code: "unsupported_parameter" },
        ),
        unsupported("max_tokens"),
      ],
      [
        "value of other models",
        400,
        openai(
          "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
          { param: "temperature", code: "unsupported_value" },
        ),
        unsupported("temperature"),
      ],
      [
        "tools with effort",
        400,
        openai(
          "Function tools with reasoning_effort are not supported for this model in /v1/chat/completions.",
          { param: "reasoning_effort" },
        ),
        unsupported("reasoning_effort"),
      ],
      [
        "invalid value",
        400,
        openai("Invalid 'temperature': decimal above maximum value.", {
          param: "temperature",
          code: "decimal_above_max_value",
        }),
        invalid("temperature"),
      ],
      [
        "field we did not send",
        400,
        openai("Unknown parameter: 'secret_field'.", { param: "secret_field", code: "unknown_parameter" }),
        rejected,
      ],
      [
        "context too long",
        400,
        openai("This model's maximum context length is 128000 tokens.", {
          param: "messages",
          code: "context_length_exceeded",
        }),
        tooLong,
      ],
      [
        "content policy",
        400,
        openai("Your request was rejected as a result of our safety system.", {
          code: "content_policy_violation",
        }),
        policy,
      ],
      ["no such model", 404, openai("The model does not exist.", { code: "model_not_found" }), missing],
      [
        "rate limit",
        429,
        openai("Rate limit reached", { type: "requests", code: "rate_limit_exceeded" }),
        { ...limited, retryAfterMs: 1_500 },
        { "retry-after-ms": "1500", "retry-after": "2" },
      ],
      [
        "no quota left",
        429,
        openai(currentQuota, { type: "insufficient_quota", code: "insufficient_quota" }),
        quota,
        { "retry-after": "7" },
      ],
      [
        "no credit left",
        429,
        openai("No credit.", { type: "insufficient_quota", code: "credit_balance_exhausted" }),
        quota,
      ],
      ["spending limit of a project", 429, openai("Limit.", { code: "project_spend_limit_exceeded" }), quota],
      [
        "more than the rate limit",
        429,
        openai(
          "Request too large for gpt-6 in organization org-x on tokens per min (TPM): Limit 30000, Requested 45000.",
          { type: "tokens", code: "rate_limit_exceeded" },
        ),
        overRate,
      ],
    ],
  ],
  [
    "azure",
    "azure",
    [
      [
        "content filter",
        400,
        {
          error: {
            message: "The response was filtered.",
            type: null,
            param: "prompt",
            code: "content_filter",
            status: 400,
            innererror: {
              code: "ResponsibleAIPolicyViolation",
              content_filter_result: { hate: { filtered: true, severity: "high" } },
            },
          },
        },
        policy,
      ],
      [
        "unsupported parameter",
        400,
        openai("Unsupported parameter: 'top_p' is not supported with this model.", {
          param: "top_p",
          code: "unsupported_parameter",
        }),
        unsupported("top_p"),
      ],
      [
        "no such deployment",
        404,
        { error: { code: "DeploymentNotFound", message: "The API deployment does not exist." } },
        missing,
      ],
    ],
  ],
  [
    "anthropic",
    "anthropic",
    [
      ["prompt too long", 400, anthropic("prompt is too long: 200001 tokens > 200000 maximum"), tooLong],
      [
        "sampling beside thinking",
        400,
        anthropic("`temperature` may only be set to 1 when thinking is enabled."),
        invalid("temperature"),
      ],
      [
        "a forced tool beside thinking",
        400,
        anthropic("Thinking may not be enabled when tool_choice forces tool use."),
        invalid("tool_choice"),
      ],
      [
        "prompt and answer too long",
        400,
        anthropic("input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000"),
        tooLong,
      ],
      ["unknown field", 400, anthropic("seed: Extra inputs are not permitted"), unsupported("seed")],
      [
        "unknown field of a message",
        400,
        anthropic("messages.0.reasoning_content: Extra inputs are not permitted"),
        unsupported("messages[0].reasoning_content"),
      ],
      [
        "sampling of newer models",
        400,
        anthropic("`temperature` is deprecated for this model."),
        unsupported("temperature"),
      ],
      [
        "thinking",
        400,
        anthropic('"thinking.type.enabled" is not supported for this model.'),
        unsupported("reasoning_effort"),
      ],
      [
        "credit too low",
        400,
        anthropic("Your credit balance is too low to access the Anthropic API."),
        quota,
      ],
      ["usage limit", 400, anthropic("You have reached your specified API usage limits."), quota],
      [
        "spend limit",
        429,
        anthropic("This would exceed your organization's monthly spend limit.", "rate_limit_error"),
        quota,
        { "retry-after": "60" },
      ],
      [
        "rate limit",
        429,
        anthropic("Number of request tokens has exceeded your per-minute rate limit", "rate_limit_error"),
        { ...limited, retryAfterMs: 12_000 },
        { "retry-after": "12" },
      ],
      ["billing", 402, anthropic("Billing problem", "billing_error"), quota],
      ["overloaded", 529, anthropic("Overloaded", "overloaded_error"), overloaded],
    ],
  ],
  [
    "google",
    "google",
    [
      [
        "unknown name",
        400,
        google(
          400,
          "INVALID_ARGUMENT",
          `Invalid JSON payload received. Unknown name "topK" at 'generation_config': Cannot find field.`,
        ),
        unsupported("top_k"),
      ],
      [
        "bad key",
        400,
        google(
          400,
          "INVALID_ARGUMENT",
          "API key not valid. Please pass a valid API key.",
          rpc("ErrorInfo", { reason: "API_KEY_INVALID" }),
        ),
        credential,
      ],
      [
        "prompt too long",
        400,
        google(
          400,
          "INVALID_ARGUMENT",
          "The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).",
        ),
        tooLong,
      ],
      [
        "limit of a minute",
        429,
        google(
          429,
          "RESOURCE_EXHAUSTED",
          currentQuota,
          overQuota("GenerateRequestsPerMinutePerProjectPerModel-FreeTier"),
          rpc("RetryInfo", { retryDelay: "36.4s" }),
        ),
        { ...limited, retryAfterMs: 36_400 },
      ],
      [
        "limit of a day",
        429,
        google(
          429,
          "RESOURCE_EXHAUSTED",
          currentQuota,
          overQuota("GenerateRequestsPerDayPerProjectPerModel-FreeTier"),
          rpc("RetryInfo", { retryDelay: "36s" }),
        ),
        quota,
      ],
      [
        "compatible API",
        429,
        [google(429, "RESOURCE_EXHAUSTED", "Resource exhausted.", rpc("RetryInfo", { retryDelay: "3s" }))],
        { ...limited, retryAfterMs: 3_000 },
      ],
    ],
  ],
  [
    "bedrock",
    "bedrock",
    [
      ["prompt too long", 400, { message: "Input is too long for requested model." }, tooLong],
      [
        "extraneous key",
        400,
        {
          message:
            "Malformed input request: #: extraneous key [top_k] is not permitted, please reformat your input.",
        },
        unsupported("top_k"),
      ],
      ["no such model", 400, { message: "The provided model identifier is invalid." }, missing],
      ["model error", 424, { message: "The model failed.", originalStatusCode: 500 }, fault],
      ["throttling", 429, { message: "Too many requests, please wait before trying again." }, limited],
    ],
  ],
  [
    "mistral",
    "mistral",
    [
      ["unknown field", 422, detail(["body", "seed"]), unsupported("seed")],
      [
        "unknown field of a message",
        422,
        detail(["body", "messages", 0, "user", "reasoning_content"]),
        unsupported("messages[0].reasoning_content"),
      ],
      [
        "unknown field, nested",
        422,
        {
          object: "error",
          message: detail(["body", "max_completion_tokens"]),
          type: "invalid_request_error",
          param: null,
          code: null,
        },
        unsupported("max_tokens"),
      ],
      [
        "unknown field, as text",
        422,
        {
          object: "error",
          message: JSON.stringify(detail(["body", "top_k"])),
          type: "internal_error_proxy",
          param: null,
          code: "1000",
        },
        unsupported("top_k"),
      ],
      [
        "invalid value",
        422,
        detail(["body", "temperature"], "Input should be less than or equal to 1.5"),
        invalid("temperature"),
      ],
      [
        "prompt too long",
        400,
        {
          object: "error",
          message: "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
          type: "invalid_request_error",
          code: "3051",
        },
        tooLong,
      ],
    ],
  ],
  [
    "groq",
    undefined,
    [
      [
        "unknown property",
        400,
        openai("property 'top_k' is unsupported, did you mean 'top_p'?"),
        unsupported("top_k"),
      ],
      [
        "unknown property of a message",
        400,
        openai(
          "'messages.0' : for 'role:user' the following must be satisfied[('messages.0' : property 'reasoning_content' is unsupported)]",
        ),
        unsupported("messages[0].reasoning_content"),
      ],
      [
        "more than the rate limit",
        413,
        openai(
          "Request too large for model `x` in organization `y` on tokens per minute (TPM): Limit 6000, Requested 10000",
          { type: "tokens", code: "rate_limit_exceeded" },
        ),
        overRate,
      ],
      ["no flexible capacity", 498, openai("Capacity exceeded", { code: "capacity_exceeded" }), overloaded],
    ],
  ],
  [
    "others",
    undefined,
    [
      [
        "together: too long",
        403,
        openai(
          "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. The context window is exceeded.",
        ),
        tooLong,
      ],
      ["together: no access", 403, openai("You do not have access."), credential],
      [
        "llama.cpp: too long",
        400,
        {
          error: {
            code: 400,
            message: "the request exceeds the available context size, try increasing it",
            type: "exceed_context_size_error",
            n_ctx: 4096,
          },
        },
        tooLong,
      ],
      [
        "vllm: too long",
        400,
        {
          object: "error",
          message: "This model's maximum context length is 4096 tokens. However, you requested 5000.",
          type: "BadRequestError",
          param: "input_tokens",
          code: 400,
        },
        tooLong,
      ],
      [
        "fireworks: unknown field",
        400,
        {
          error: {
            object: "error",
            type: "invalid_request_error",
            message: "Extra inputs are not permitted, field: 'top_k', value: 5",
          },
        },
        unsupported("top_k"),
      ],
      ["fireworks: suspended", 412, { error: { message: "Account is suspended." } }, quota],
      [
        "cerebras: unknown field",
        400,
        {
          message: "body.top_k: property 'body.top_k' is unsupported",
          type: "invalid_request_error",
          param: "validation_error",
          code: "wrong_api_format",
        },
        unsupported("top_k"),
      ],
      [
        "cerebras: field of a message",
        400,
        {
          message:
            "messages.0.user.reasoning_content: property 'messages.0.user.reasoning_content' is unsupported",
          type: "invalid_request_error",
          param: "validation_error",
          code: "wrong_api_format",
        },
        unsupported("messages[0].reasoning_content"),
      ],
      [
        "cerebras: limit of tokens",
        429,
        {
          message: "Tokens per minute limit exceeded.",
          type: "too_many_tokens_error",
          param: "quota",
          code: "token_quota_exceeded",
        },
        limited,
      ],
      [
        "xai: unknown field",
        400,
        { code: "Client specified an invalid argument", error: "Argument not supported on this model: topK" },
        unsupported("top_k"),
      ],
      [
        "xai: model without field",
        400,
        { code: "invalid-argument", error: "Model grok-x does not support parameter topK." },
        unsupported("top_k"),
      ],
      [
        "xai: bad key",
        400,
        {
          code: "Client specified an invalid argument",
          error: "Incorrect API key provided: xa***. You can obtain an API key.",
        },
        credential,
      ],
      [
        "xai: no credit",
        403,
        {
          code: "permission-denied",
          error: "Your team has either used all available credits or reached its monthly spending limit.",
        },
        quota,
      ],
      ["deepseek: no balance", 402, openai("Insufficient Balance", { code: "invalid_request_error" }), quota],
      ["scaleway: no such model", 422, openai("Model not available", { code: "model_not_found" }), missing],
      [
        "litellm: parameters",
        400,
        openai("litellm.UnsupportedParamsError: x does not support parameters: ['top_k'], for model=y"),
        unsupported("top_k"),
      ],
      ["any: as text", 400, "top_k: Extra inputs are not permitted", unsupported("top_k")],
    ],
  ],
];

/** The request that was answered so, in our names. */
export const recordedRequest = {
  tool_choice: "required",
  model: "m/x",
  messages: [{ role: "user", content: "Hello", reasoning_content: "Hm" }],
  max_tokens: 64,
  temperature: 0.2,
  top_p: 0.9,
  top_k: 5,
  seed: 7,
  reasoning_effort: "low",
};

export const recordedErrors: readonly RecordedError[] = tables.flatMap(([provider, kind, rows]) =>
  rows.map(([what, status, body, becomes, headers]) => ({
    provider,
    what,
    status,
    body,
    becomes,
    ...(kind && { kind }),
    ...(headers && { headers }),
  })),
);
