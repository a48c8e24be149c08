import type { IncomingMessage } from "node:http";
import type { ApiKey } from "#contract/key.ts";
import { type AppError, errorEnvelope } from "#server/platform/errors.ts";

/** The client library that sends a request is OpenRouter's, in any language. */
export const isOpenRouterSdk = ({ headers }: IncomingMessage): boolean =>
  /^speakeasy-sdk\/\S.*openrouter/i.test(headers["user-agent"] ?? "");

/** The usual body of an error for OpenRouter's client libraries, which read the status in `code`. */
export function openRouterError(error: AppError, requestId: string): object {
  const { error: details, ...envelope } = errorEnvelope(error, requestId);
  const metadata = { ...details.metadata, code: details.code };
  return { ...envelope, error: { ...details, code: error.status, metadata } };
}

const withWorkspace = (key: ApiKey) => ({ ...key, workspace_id: key.workspace_id ?? "" });

/** An answer about API keys: OpenRouter's client libraries require their workspace, so an empty text stands for none. */
export function openRouterKeys<Answer extends { readonly data: ApiKey | readonly ApiKey[] }>(answer: Answer) {
  const { data } = answer;
  return { ...answer, data: "hash" in data ? withWorkspace(data) : data.map(withWorkspace) };
}
