import type { Caller } from "#server/auth/caller.ts";
import type { Services } from "./services.ts";

/** What a procedure knows of the request it answers. Nothing of HTTP is in it. */
export interface Context {
  readonly services: Services;
  readonly caller: Caller | null;
  readonly requestId: string;
  readonly ipAddress: string | null;
  /** Aborted when the client has left. */
  readonly signal: AbortSignal;
}
