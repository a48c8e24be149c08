import type { PrefixCache } from "./prefix-cache.ts";
import type { Reply } from "./reply.ts";

/** What an operation knows besides the body. */
export interface Site {
  /** `fr`, `de` or `us`. */
  readonly name: string;
  readonly cache: PrefixCache;
}

/** Answers a parsed JSON body as a plan; throws `SandboxError` when the body is not right. */
export type Operation = (body: unknown, site: Site) => Reply;
