import type { JobHandlers } from "#server/jobs/queue/job-table.ts";
import type { AlertDeps } from "./deps.ts";
import { evaluateAlerts } from "./evaluate.ts";
import { sendNotification } from "./send-notification.ts";

export interface Alerts {
  readonly deps: AlertDeps;
  readonly jobs: Pick<JobHandlers, "evaluate-alerts" | "send-alert">;
}

/** Alerts with their jobs: every minute all rules are evaluated, and each notification is sent by a job of its own. */
export const openAlerts = (deps: AlertDeps): Alerts => ({
  deps,
  jobs: {
    "evaluate-alerts": (_, { signal }) => evaluateAlerts(deps, signal),
    "send-alert": (payload, { signal }) => sendNotification(deps, payload, signal),
  },
});
