import type { Caller } from "#server/access/caller.ts";
import type { Database } from "#server/db/index.ts";
import type { Queue } from "#server/jobs/queue.ts";
import type { AppError } from "#server/platform/errors.ts";
import type { Sealer } from "#server/platform/sealing.ts";
import type { InferenceDeps } from "../pipeline/request-context.ts";
import type { CompletionSpool } from "../stored-completions/completion-spool.ts";
import type { Followers } from "./followers.ts";
import type { ResponseSpool } from "./response-spool.ts";

/** Additional dependencies of responses, conversations and stored chat completions. */
export interface ResponseDeps {
  readonly inference: InferenceDeps;
  readonly database: Database;
  readonly queue: Queue;
  readonly sealer: Sealer;
  readonly responseSpool: ResponseSpool;
  readonly completionSpool: CompletionSpool;
  readonly followers: Followers;
  readonly storeByDefault: boolean;
  readonly retentionMs: number;
  /** The caller of a key's id; null for an invalid key. */
  readonly callerOfKey: (id: string) => Caller | null;
  /** Records a request that was refused when its turn came. */
  readonly refused: (
    caller: Caller,
    refused: { requestId: string; operation: string; model: string | null; error: AppError },
  ) => void;
}
