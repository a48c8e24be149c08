export { type Answer, complete } from "./complete.ts";
export type { InferenceCall, InferenceParts } from "./job.ts";
export type { CompletionChunk } from "./stream.ts";
export { createTargets } from "./targets.ts";
