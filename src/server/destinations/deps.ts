import type { Database } from "#server/db/index.ts";
import type { Queue } from "#server/jobs/queue.ts";
import type { Log } from "#server/platform/log.ts";
import type { Metrics } from "#server/platform/metrics.ts";
import type { Outbound } from "#server/platform/outbound.ts";
import type { Sealer } from "#server/platform/sealing.ts";

/**
 * Dependencies of destinations. They have their own `outbound`, because they may reach other hosts than providers.
 */
export interface DestinationDeps {
  readonly database: Database;
  readonly queue: Queue;
  readonly outbound: Outbound;
  readonly sealer: Sealer;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Starts delivery to these destinations. Call it after the deliveries are committed. */
export async function wakeDeliveryWorkers(
  { queue }: Pick<DestinationDeps, "queue">,
  ids: readonly string[],
): Promise<void> {
  await queue.enqueueAll(
    "broadcast-traces",
    ids.map((id) => ({ key: id, payload: { destination_id: id } })),
  );
  queue.wake("broadcast-traces");
}
