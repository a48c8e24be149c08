import type { Database } from "#server/db/index.ts";
import type { Queue } from "#server/jobs/queue.ts";
import type { Log } from "#server/platform/log.ts";
import type { Metrics } from "#server/platform/metrics.ts";
import type { Outbound } from "#server/platform/outbound.ts";
import type { Sealer } from "#server/platform/sealing.ts";

/** What destinations work with. `outbound` is their own: what they may reach is not what providers may. */
export interface DestinationParts {
  readonly database: Database;
  readonly queue: Queue;
  readonly outbound: Outbound;
  readonly sealer: Sealer;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Makes sure somebody delivers what waits for these destinations. Call it once what waits is committed. */
export async function wakeLanes(
  { queue }: Pick<DestinationParts, "queue">,
  ids: readonly string[],
): Promise<void> {
  await queue.enqueueAll(
    "broadcast-traces",
    ids.map((id) => ({ key: id, payload: { destination_id: id } })),
  );
  queue.wake("broadcast-traces");
}
