import type { ResponseItem } from "#contract/response-items.ts";
import type { ResponseObject } from "#contract/response-object.ts";
import { clock, isoTime } from "#server/platform/clock.ts";
import { generationIdOf } from "../operations/responses/response-object.ts";
import type { KeyCaller } from "../pipeline/admit.ts";
import type { PreparedResponse } from "../wires/openai-responses/prepared-response.ts";
import type { ResponseDeps } from "./response-deps.ts";
import type { SpooledResponse } from "./response-spool.ts";
import { idsOf, type StoredContent, sealContent, withIds } from "./stored-content.ts";

export interface ToStore {
  readonly caller: KeyCaller;
  readonly request: PreparedResponse;
  readonly own: readonly ResponseItem[];
  readonly response: ResponseObject;
}

/** A response as its row, sealed. `later` is the request of a queued one. */
export function rowOf(
  { sealer, retentionMs }: Pick<ResponseDeps, "sealer" | "retentionMs">,
  { caller, request, own, response }: ToStore,
  later?: PreparedResponse,
): SpooledResponse {
  const id = generationIdOf(response.id) ?? "";
  const input = withIds(own);
  const content: StoredContent = { input, response, ...(later && { request: later }) };
  const nowMs = clock.nowMs();
  return {
    id,
    org_id: caller.orgId,
    workspace_id: caller.workspaceId,
    api_key_id: caller.keyId,
    user_id: caller.userId,
    previous_id: request.previous_response_id ? generationIdOf(request.previous_response_id) : null,
    status: response.status,
    background: request.background === true,
    streamed: request.stream === true,
    item_ids: [...idsOf(input), ...idsOf(response.output)],
    content: sealContent(sealer, { id, org_id: caller.orgId }, content),
    created_at: isoTime(nowMs),
    expires_at: isoTime(nowMs + retentionMs),
  };
}

/** Stores a response that was answered. A failure is logged, because the answer itself is valid. */
export async function storeResponse(
  deps: Pick<ResponseDeps, "sealer" | "retentionMs" | "responseSpool" | "inference">,
  kept: ToStore,
): Promise<void> {
  try {
    await deps.responseSpool.put(rowOf(deps, kept));
  } catch (error) {
    deps.inference.log.error({ event: "responses", error }, "A response could not be stored");
  }
}
