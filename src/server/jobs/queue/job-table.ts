import { z } from "zod";
import { limits } from "#server/platform/limits.ts";

export interface JobKind {
  /** What a job carries. Checked when it is put in and again when it is taken out. */
  readonly payload: z.ZodType;
  /** How many workers one process has for this kind. */
  readonly concurrency: number;
  /** How many jobs a worker fetches and runs together, by default 1. It fetches more once all of them have ended. */
  readonly together?: number;
  /** How long a job may take before it counts as dead and is given to another worker. */
  readonly timeoutSeconds: number;
  /** How often a failed job is tried again, with growing pauses. */
  readonly retries: number;
  /** Put in by itself at these times (cron, UTC), with an empty payload. */
  readonly schedule?: string;
  /**
   * At most one job waiting for each `key`. `under way`: and at most one at work, in all processes; only for kinds
   * with few keys, because a job that waits for another of its key holds up all others behind it.
   */
  readonly onePerKey?: "waiting" | "under way";
}

const nothing = z.object({});
const sealed = z.object({ id: z.uuid(), sealed: z.string() });

/** Everything that happens later, one row each. Its handler stands in jobs/worker.ts under the same name. */
export const jobTable = {
  "expired-sessions": {
    payload: nothing,
    concurrency: 1,
    timeoutSeconds: 60,
    retries: 3,
    schedule: "17 3 * * *",
  },
  "old-refusals": {
    payload: nothing,
    concurrency: 1,
    timeoutSeconds: 60,
    retries: 3,
    schedule: "47 3 * * *",
  },
  "request-months": {
    payload: nothing,
    concurrency: 1,
    timeoutSeconds: 60 * 60,
    retries: 3,
    schedule: "27 2 * * *",
    onePerKey: "under way",
  },
  "usage-sums": {
    payload: nothing,
    concurrency: 1,
    timeoutSeconds: 60 * 60,
    retries: 3,
    schedule: "7 * * * *",
    onePerKey: "under way",
  },
  /** One destination's line of traces. */
  "broadcast-traces": {
    payload: z.object({ destination_id: z.string() }),
    concurrency: limits.destinations.workers,
    together: limits.destinations.destinationsPerWorker,
    timeoutSeconds: 120,
    retries: 3,
    onePerKey: "waiting",
  },
  "keep-deliveries": {
    payload: nothing,
    concurrency: 1,
    timeoutSeconds: 120,
    retries: 0,
    schedule: "* * * * *",
    onePerKey: "under way",
  },
  /** Checkpoints of transparency logs are sent to witnesses. */
  "cosign-checkpoints": {
    payload: nothing,
    concurrency: 1,
    timeoutSeconds: 5 * 60,
    retries: 0,
    schedule: "* * * * *",
    onePerKey: "under way",
  },
  /** New rows of audit logs are sent to a SIEM. */
  "export-audit": {
    payload: nothing,
    concurrency: 1,
    timeoutSeconds: 30 * 60,
    retries: 0,
    schedule: "* * * * *",
    onePerKey: "under way",
  },
  /** Checkpoints of transparency logs are published where the operator cannot remove them. */
  "publish-checkpoints": {
    payload: nothing,
    concurrency: 1,
    timeoutSeconds: 30 * 60,
    retries: 0,
    schedule: "*/5 * * * *",
    onePerKey: "under way",
  },
  /** Checkpoints of transparency logs are stamped by time-stamping authorities. */
  "stamp-checkpoints": {
    payload: nothing,
    concurrency: 1,
    timeoutSeconds: 30 * 60,
    retries: 0,
    schedule: "37 * * * *",
    onePerKey: "under way",
  },
  "evaluate-alerts": {
    payload: nothing,
    concurrency: 1,
    timeoutSeconds: 5 * 60,
    retries: 0,
    schedule: "* * * * *",
    onePerKey: "under way",
  },
  /** One notification; a receiver that is away is tried for a day. */
  "send-alert": {
    payload: z.object({ id: z.uuid() }),
    concurrency: 2,
    together: 5,
    timeoutSeconds: 60,
    retries: 100,
  },
  /** The ECB publishes at 16:00 in Frankfurt, on working days. */
  "exchange-rate": {
    payload: nothing,
    concurrency: 1,
    timeoutSeconds: 60,
    retries: 5,
    schedule: "30 3,9,15,21 * * *",
    onePerKey: "under way",
  },
  /** Put in at every start too, for when the key was changed with it. */
  "change-sealing-key": {
    payload: nothing,
    concurrency: 1,
    timeoutSeconds: 10 * 60,
    retries: 10,
    schedule: "52 * * * *",
    onePerKey: "under way",
  },
  /** A mail whose server is away is tried for a day. */
  mail: { payload: sealed, concurrency: 2, timeoutSeconds: 60, retries: 60 },
  "password-reset": { payload: sealed, concurrency: 1, timeoutSeconds: 60, retries: 10 },
  "expired-responses": {
    payload: nothing,
    concurrency: 1,
    timeoutSeconds: 5 * 60,
    retries: 3,
    schedule: "37 * * * *",
  },
  "forget-organisation": {
    payload: z.object({ id: z.uuid() }),
    concurrency: 1,
    timeoutSeconds: 60 * 60,
    retries: 10,
  },
  /** One after the other: each continues where it was interrupted. */
  "erase-data-subject": {
    payload: z.object({ id: z.uuid(), again: z.boolean() }),
    concurrency: 1,
    timeoutSeconds: 60 * 60,
    retries: 10,
  },
  "build-evidence-package": {
    payload: z.object({ id: z.uuid() }),
    concurrency: 2,
    timeoutSeconds: 60 * 60,
    retries: 3,
  },
  "expired-packages": {
    payload: nothing,
    concurrency: 1,
    timeoutSeconds: 5 * 60,
    retries: 3,
    schedule: "22 * * * *",
  },
  // A second run finds the response in progress and ends it as failed: its process is dead.
  "background-response": {
    payload: z.object({ id: z.uuid() }),
    concurrency: 8,
    timeoutSeconds: 65 * 60,
    retries: 3,
  },
} as const satisfies Record<string, JobKind>;

export type JobName = keyof typeof jobTable;
export type JobPayload<Name extends JobName> = z.infer<(typeof jobTable)[Name]["payload"]>;

/** What a handler gets besides the payload: the signal is aborted when the job's time is up. */
export interface JobRun {
  readonly id: string;
  readonly signal: AbortSignal;
}
export type JobHandler<Name extends JobName> = (payload: JobPayload<Name>, run: JobRun) => Promise<void>;
export type JobHandlers = { readonly [Name in JobName]: JobHandler<Name> };
