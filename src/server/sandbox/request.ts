import { z } from "zod";
import { SandboxError } from "./reply.ts";

const anyObject = z.record(z.string(), z.unknown());

const sampling = {
  model: z.string(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  max_tokens: z.int().min(1).nullish(),
  seed: z.int().nullish(),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  n: z.int().min(1).max(128).nullish(),
};

const reasoning = {
  reasoning: z.looseObject({ effort: z.string().nullish(), max_tokens: z.int().min(0).nullish() }).nullish(),
  reasoning_effort: z.string().nullish(),
};

export const ChatRequest = z.looseObject({
  ...sampling,
  ...reasoning,
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })).min(1),
  max_completion_tokens: z.int().min(1).nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  tools: z
    .array(z.looseObject({ function: z.looseObject({ name: z.string(), parameters: anyObject.nullish() }) }))
    .nullish(),
  tool_choice: z
    .union([z.string(), z.looseObject({ function: z.looseObject({ name: z.string() }) })])
    .nullish(),
  response_format: z
    .looseObject({
      type: z.string(),
      json_schema: z.looseObject({ schema: anyObject.optional() }).optional(),
    })
    .nullish(),
});
export type ChatRequest = z.infer<typeof ChatRequest>;

export const CompletionRequest = z.looseObject({
  ...sampling,
  ...reasoning,
  prompt: z.union([z.string(), z.array(z.string()), z.array(z.int()), z.array(z.array(z.int()))]),
  logprobs: z.int().min(0).max(20).nullish(),
  echo: z.boolean().nullish(),
});
export type CompletionRequest = z.infer<typeof CompletionRequest>;

export const EmbeddingRequest = z.looseObject({
  model: z.string(),
  input: z.union([z.string(), z.array(z.string()), z.array(z.int()), z.array(z.array(z.int()))]),
  encoding_format: z.enum(["float", "base64"]).nullish(),
  dimensions: z.int().min(1).max(4096).nullish(),
});

export const RerankRequest = z.looseObject({
  model: z.string(),
  query: z.string().min(1),
  documents: z.array(z.union([z.string(), z.looseObject({ text: z.string() })])).min(1),
  top_n: z.int().min(1).nullish(),
  return_documents: z.boolean().nullish(),
});

/** The body as its schema, or a 400 that names the first field in the way. */
export function parseBody<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new SandboxError(400, `${issue?.path.join(".") || "body"}: ${issue?.message ?? "is not valid"}`);
}

const TokenIds = z.array(z.int());
const idsAsText = (ids: readonly number[]): string => ids.map((id) => `#${id}`).join(" ");

/** Texts of a `prompt` or `input`; token ids become text like `#1 #2`, one token each. */
export function textsOf(input: string | string[] | number[] | number[][]): string[] {
  if (typeof input === "string") return [input];
  const oneList = TokenIds.safeParse(input);
  if (oneList.success) return [idsAsText(oneList.data)];
  return input.map((item) => (Array.isArray(item) ? idsAsText(item) : String(item)));
}
