import type { Caller } from "#server/access/caller.ts";
import type { Suspension } from "#server/access/suspension.ts";
import type { SignedInPerson } from "#server/accounts/index.ts";
import type { OperationLimit } from "#server/auth/rate-limits.ts";
import type { Services } from "./services.ts";

/** What a procedure knows of its request, independent of HTTP. */
export interface Context {
  readonly services: Services;
  readonly caller: Caller | null;
  /** The person signed in to the console, even without an organisation; null over REST. */
  readonly person?: SignedInPerson | null;
  /** Set if the person is not a caller because their organisation is suspended. */
  readonly suspension?: Suspension | null;
  readonly requestId: string;
  readonly ipAddress: string | null;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  /** Counts one call against the request limits; absent if the complete request was counted already. */
  readonly countCall?: (operation?: OperationLimit) => Promise<void>;
}
