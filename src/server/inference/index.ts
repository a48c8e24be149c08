export { checkCredential } from "./check-credential.ts";
export {
  addConversationItems,
  deleteConversationItem,
  getConversationItem,
  listConversationItems,
} from "./conversations/conversation-items.ts";
export {
  createConversation,
  deleteConversation,
  getConversation,
  purgeExpiredConversations,
  updateConversation,
} from "./conversations/conversations.ts";
export { compaction, operations, type ServedOperation } from "./operation-table.ts";
export { countTokens } from "./operations/messages/prepare.ts";
export { createRefusedFields } from "./parameters/refused-fields.ts";
export { ContentDigests, digestKeyHeader } from "./pipeline/content-digests.ts";
export { contentFields, withoutSecrets } from "./pipeline/content-fields.ts";
export type { Frames, FramesEnd } from "./pipeline/frames.ts";
export { LongJson } from "./pipeline/long-json.ts";
export { isRefusal } from "./pipeline/refusal.ts";
export type { InferenceRequest } from "./pipeline/request.ts";
export type { InferenceCall, InferenceDeps } from "./pipeline/request-context.ts";
export type { Answer } from "./pipeline/serve.ts";
export { createUpstreams } from "./pipeline/upstreams.ts";
export { providerKinds } from "./providers/registry.ts";
export { cancelResponse, runBackground } from "./responses/background.ts";
export { countInputTokens } from "./responses/count-tokens.ts";
export { followResponse } from "./responses/events.ts";
export { openFollowers } from "./responses/followers.ts";
export { replayOf } from "./responses/replay.ts";
export type { ResponseDeps } from "./responses/response-deps.ts";
export { ResponseSpool } from "./responses/response-spool.ts";
export {
  deleteResponse,
  getResponse,
  listInputItems,
  purgeExpiredResponses,
} from "./responses/stored-responses.ts";
export { CompletionSpool } from "./stored-completions/completion-spool.ts";
export { listCompletions } from "./stored-completions/list-completions.ts";
export {
  deleteCompletion,
  getCompletion,
  listMessages,
  purgeExpiredCompletions,
  updateCompletion,
} from "./stored-completions/stored-completions.ts";
export { storedContentOf } from "./stored-content-of.ts";
