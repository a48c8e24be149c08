import type { ResponseItem } from "#contract/response-items.ts";
import type { ResponseObject } from "#contract/response-object.ts";
import { clock, isoTime } from "#server/platform/clock.ts";
import { conversationRowId } from "../conversations/conversation-id.ts";
import { asConversationItems, sealItems } from "../conversations/sealed-items.ts";
import { generationIdOf } from "../operations/responses/response-object.ts";
import type { KeyCaller } from "../pipeline/admit.ts";
import type { PreparedResponse } from "../wires/openai-responses/prepared-response.ts";
import type { ResponseDeps } from "./response-deps.ts";
import type { SpooledResponse, StoredRow } from "./response-spool.ts";
import { idsOf, type StoredContent, sealContent, withIds } from "./stored-content.ts";

export interface ToStore {
  readonly caller: KeyCaller;
  readonly request: PreparedResponse;
  readonly own: readonly ResponseItem[];
  readonly response: ResponseObject;
}

/** Failed responses are not part of a conversation. */
const saidSomething: ReadonlySet<string> = new Set(["completed", "incomplete"]);

/** A response as its row, sealed. `later` is the request of a queued one. */
export function rowOf(
  { sealer, retentionMs }: Pick<ResponseDeps, "sealer" | "retentionMs">,
  { caller, request, own, response }: ToStore,
  later?: PreparedResponse,
): StoredRow {
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

/** What is appended to the conversation of a response; null if nothing is. */
export function appendedBy(
  { sealer }: Pick<ResponseDeps, "sealer">,
  {
    orgId,
    own,
    response,
  }: Pick<ToStore, "own" | "response"> & {
    readonly orgId: string;
  },
): SpooledResponse["conversation"] {
  const id = response.conversation ? conversationRowId(response.conversation.id) : null;
  if (id === null || !saidSomething.has(response.status)) return null;
  const said = asConversationItems([...own, ...(response.output as ResponseItem[])]);
  return { id, items: sealItems(sealer, orgId, said) };
}

/**
 * Stores a response that was answered, and appends it to its conversation. A failure is logged, because the answer
 * itself is valid.
 */
export async function storeResponse(
  deps: Pick<ResponseDeps, "sealer" | "retentionMs" | "responseSpool" | "inference">,
  given: ToStore,
): Promise<void> {
  try {
    const toStore = { ...given, own: withIds(given.own) };
    const row = rowOf(deps, toStore);
    const conversation = appendedBy(deps, { ...toStore, orgId: given.caller.orgId });
    await deps.responseSpool.put({ ...row, conversation, stored: given.request.store });
    // The next request may be answered by another process, which reads the database.
    if (conversation) await deps.responseSpool.flushed(row.id);
  } catch (error) {
    deps.inference.log.error({ event: "responses", error }, "A response could not be stored");
  }
}
