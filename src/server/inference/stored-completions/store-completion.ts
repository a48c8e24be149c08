import type { ChatCompletion, ChatRequest } from "#contract/chat.ts";
import { clock, isoTime } from "#server/platform/clock.ts";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { isLongJson } from "#server/platform/long-json.ts";
import type { chat } from "../operations/chat/operation.ts";
import type { KeyCaller } from "../pipeline/admit.ts";
import type { ResponseDeps } from "../responses/response-deps.ts";
import type { ChatChunk } from "../wires/openai-chat/wire.ts";
import { completionRowId } from "./completion-id.ts";
import { sealCompletion, sealMessages, sealMetadata, withSettings } from "./sealed-completion.ts";
import { StreamedCompletion } from "./streamed-completion.ts";

/** Refuses a conversation that is too long to be stored. Throws PAYLOAD_TOO_LARGE. */
export function assertStorable({ messages, tools, response_format }: ChatRequest): void {
  const { storedCharsMax: max } = limits.responses;
  if (!isLongJson([messages, tools, response_format], max)) return;
  throw new AppError("PAYLOAD_TOO_LARGE", `messages: may have at most ${max} characters to be stored`, {
    param: "messages",
    metadata: { bytes_max: max },
  });
}

/** The operation; `ended` gets the answer, also of a stream, before the client has its end, and null if it then failed. */
export const withEnded = (
  operation: typeof chat,
  ended: (completion: ChatCompletion | null) => void,
): typeof chat => ({
  ...operation,
  complete(...args) {
    const completion = operation.complete(...args);
    ended(completion);
    return completion;
  },
  present(generation, request) {
    const presenter = operation.present(generation, request);
    const streamed = new StreamedCompletion();
    let last: ChatChunk | null = null;
    return {
      ...presenter,
      chunk(chunk) {
        streamed.add(chunk);
        last = chunk;
        return presenter.chunk(chunk);
      },
      completed(billed) {
        if (last) ended(operation.complete(streamed.answer(last), generation, request, billed));
        return presenter.completed(billed);
      },
      failed(...args) {
        ended(null);
        return presenter.failed(...args);
      },
    };
  },
});

/** Stores a completion that was answered. A failure is logged, because the answer itself is valid. */
export async function storeCompletion(
  { sealer, retentionMs, completionSpool, inference }: ResponseDeps,
  caller: KeyCaller,
  request: ChatRequest,
  completion: ChatCompletion,
): Promise<void> {
  try {
    const row = { id: completionRowId(completion.id) ?? "", org_id: caller.orgId };
    const nowMs = clock.nowMs();
    await completionSpool.put({
      ...row,
      workspace_id: caller.workspaceId,
      api_key_id: caller.keyId,
      user_id: caller.userId,
      model: completion.model,
      metadata: sealMetadata(sealer, row, request.metadata ?? {}),
      messages: sealMessages(sealer, row, request.messages),
      completion: sealCompletion(sealer, row, withSettings(completion, request)),
      created_at: isoTime(nowMs),
      expires_at: isoTime(nowMs + retentionMs),
    });
  } catch (error) {
    inference.log.error({ event: "completions", error }, "A chat completion could not be stored");
  }
}
