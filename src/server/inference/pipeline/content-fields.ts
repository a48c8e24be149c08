import { maskSecretsIn } from "#server/platform/mask-secrets.ts";
import type { InferenceRequest } from "./request.ts";

/**
 * Fields of inference requests that contain prompts: they are sent to the provider unchanged, and stored only sealed.
 * All others may be recorded, logged or returned.
 */
export const contentFields: readonly string[] = [
  "messages",
  "system",
  "prompt",
  "suffix",
  "input",
  "instructions",
  "query",
  "documents",
  "tools",
  "functions",
  "response_format",
  "output_config",
  "text",
  "prediction",
  "stop",
  "stop_sequences",
  "logit_bias",
];
const isContent: ReadonlySet<string> = new Set(contentFields);

/**
 * Masks API keys outside the prompts of a request, for example pasted as `model` or `user`. Returns the request
 * itself if there are none; checks only the few short fields.
 */
export function withoutSecrets<Request extends InferenceRequest>(request: Request): Request {
  let changed: Record<string, unknown> | undefined;
  for (const name in request) {
    if (isContent.has(name)) continue;
    const value = request[name];
    const masked = maskSecretsIn(value);
    if (masked !== value) changed = { ...changed, [name]: masked };
  }
  return changed ? { ...request, ...changed } : request;
}
