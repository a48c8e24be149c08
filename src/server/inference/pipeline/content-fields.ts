import { maskSecretsIn } from "#server/platform/mask-secrets.ts";
import type { InferenceRequest } from "./request.ts";

/**
 * Fields of inference requests that are for the model: they go to the provider as they came, and are kept nowhere but
 * sealed. All others may be recorded, logged or answered again.
 */
export const contentFields: readonly string[] = [
  "messages",
  "prompt",
  "suffix",
  "input",
  "instructions",
  "query",
  "documents",
  "tools",
  "response_format",
  "text",
  "prediction",
  "stop",
  "logit_bias",
];
const isContent: ReadonlySet<string> = new Set(contentFields);

/**
 * A request in which API keys are masked wherever they are not for the model: somebody pasted one as `model` or `user`.
 * The request itself when there is none; looks at no more than the few short fields around the content.
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
