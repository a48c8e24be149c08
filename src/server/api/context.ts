import type { Caller } from "#server/access/caller.ts";
import type { Suspension } from "#server/access/suspension.ts";
import type { SignedInPerson } from "#server/accounts/index.ts";
import type { OperationLimit } from "#server/auth/rate-limits.ts";
import type { Services } from "./services.ts";

/** What a procedure knows of the request it answers. Nothing of HTTP is in it. */
export interface Context {
  readonly services: Services;
  readonly caller: Caller | null;
  /** Whoever is signed in to the console, even without an organisation; nobody over REST. */
  readonly person?: SignedInPerson | null;
  /** Why who is signed in is no caller: their organisation is suspended. */
  readonly suspension?: Suspension | null;
  readonly requestId: string;
  readonly ipAddress: string | null;
  /** Aborted when the client has left. */
  readonly signal: AbortSignal;
  /** Counts one call against the limits of requests; absent where the whole request was counted already. */
  readonly countCall?: (operation?: OperationLimit) => Promise<void>;
}
