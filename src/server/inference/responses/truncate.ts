import type { ResponseItem } from "#contract/response-items.ts";
import { responsesWith, sizeOf } from "../operations/responses/operation.ts";
import { type KeyCaller, planFor } from "../pipeline/admit.ts";
import type { InferenceDeps } from "../pipeline/request-context.ts";
import { bytesPerToken, mediaTokens } from "../pipeline/token-bounds.ts";
import type { PreparedResponse } from "../wires/openai-responses/prepared-response.ts";

/** The maximum of tokens around a message. */
const tokensAround = 8;
/** Reserved for an answer without a limit; in a small window, a quarter of it. */
const answerTokens = 4096;

/** The estimated tokens of everything that is sent: conversation, instructions, tools and format. */
export function tokensOf(request: PreparedResponse): number {
  const { bytes, media } = sizeOf(request);
  return Math.ceil(bytes / bytesPerToken) + media.parts * mediaTokens + request.items.length * tokensAround;
}

const outputs = new Set<unknown>(["function_call_output", "custom_tool_call_output"]);

/** A tool's result without its call is meaningless, and providers refuse it. */
function withoutOrphans(items: readonly ResponseItem[]): readonly ResponseItem[] {
  const calls = new Set(items.flatMap(({ type, call_id: id }) => (outputs.has(type) ? [] : [id])));
  return items.filter(({ type, call_id: id }) => !outputs.has(type) || calls.has(id));
}

/** The request without its oldest items, as many as necessary to fit a window; the newest always remains. */
export function fitting(request: PreparedResponse, windowTokens: number): PreparedResponse {
  const answer = request.max_output_tokens ?? Math.min(answerTokens, Math.floor(windowTokens / 4));
  const room = windowTokens - answer;
  let left = tokensOf(request);
  if (left <= room) return request;
  let dropped = 0;
  const { items } = request;
  const alone = tokensOf({ ...request, items: [] });
  while (left > room && dropped < items.length - 1) {
    left -= tokensOf({ ...request, items: items.slice(dropped, dropped + 1) }) - alone;
    dropped++;
  }
  const stored = withoutOrphans(items.slice(dropped));
  return { ...request, items: stored.length > 0 ? stored : items.slice(-1) };
}

/**
 * With `truncation: "auto"`, removes the oldest items until the rest fits the widest window of the eligible
 * endpoints. Throws like `makePlan`.
 */
export function truncated(
  deps: Pick<InferenceDeps, "router" | "sessions">,
  key: KeyCaller,
  request: PreparedResponse,
): PreparedResponse {
  if (request.truncation !== "auto") return request;
  const { plan } = planFor(
    deps,
    key,
    responsesWith(() => {}),
    { ...request, items: request.items.slice(-1) },
  );
  const windows = plan.candidates.map(({ endpoint }) => endpoint.contextLength ?? Number.POSITIVE_INFINITY);
  return fitting(request, Math.max(...windows));
}
