export { checkCredential } from "./check-credential.ts";
export { contentFields, withoutSecrets } from "./content-fields.ts";
export type { Frames, FramesEnd } from "./frames.ts";
export type { InferenceCall, InferenceParts } from "./job.ts";
export { LongJson } from "./long-json.ts";
export type { Operation, Part } from "./operation.ts";
export { chat } from "./operations/chat.ts";
export { completions } from "./operations/completions.ts";
export { embeddings } from "./operations/embeddings.ts";
export { rerank } from "./operations/rerank.ts";
export { providerKinds } from "./providers/registry.ts";
export { isRefusal } from "./refusal.ts";
export type { InferenceRequest } from "./request.ts";
export { type Answer, serve } from "./serve.ts";
export { serveResponse } from "./serve-response.ts";
export { cancelResponse, runBackground } from "./stored/background.ts";
export { followResponse } from "./stored/events.ts";
export { openFollowers } from "./stored/followers.ts";
export { ResponseOutbox } from "./stored/outbox.ts";
export { replayOf } from "./stored/replay.ts";
export type { ResponseParts } from "./stored/response-parts.ts";
export {
  deleteResponse,
  forgetExpiredResponses,
  getResponse,
  listInputItems,
} from "./stored/stored-responses.ts";
export { createUpstreams } from "./upstreams.ts";
