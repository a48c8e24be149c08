import type pg from "pg";
import type { JobHandlers } from "#server/jobs/queue/job-table.ts";
import { limits } from "#server/platform/limits.ts";
import {
  type Broadcast,
  createBroadcast,
  type DestinationIndex,
  type Planned,
  type PlannedTrace,
} from "./broadcast.ts";
import { deliverTraces } from "./delivery-worker.ts";
import { type DestinationDeps, wakeDeliveryWorkers } from "./deps.ts";
import { Filters } from "./filter/filters.ts";
import { PlannedWriter } from "./planned-writer.ts";
import type { GenerationSummary } from "./trace/facts.ts";
import { maintainDeliveries } from "./upkeep.ts";

/** Stores the traces of finished generations, in the transaction that stores the generations. */
interface TraceDeliveries {
  write(client: pg.ClientBase, planned: readonly object[]): Promise<readonly string[]>;
  tell(ids: readonly string[]): void;
  /** The traces of a generation whose process ended before it could plan them. */
  recover(row: GenerationSummary & { readonly workspace_id: string | null }): readonly object[];
}

export interface Destinations {
  readonly deps: DestinationDeps;
  readonly broadcast: Broadcast;
  readonly outbox: TraceDeliveries;
  readonly jobs: Pick<JobHandlers, "broadcast-traces" | "keep-deliveries">;
  /** Resolves once all filters have finished and their results are stored. */
  close(): Promise<void>;
}

/** Starts delivery of new traces at once, then at most every `notifyEveryMs`. The job of each minute finds the rest. */
function notifier(deps: DestinationDeps): TraceDeliveries["tell"] {
  let waiting = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    timer = undefined;
    if (waiting.size === 0) return;
    const ids = [...waiting];
    waiting = new Set();
    timer = setTimeout(flush, limits.destinations.notifyEveryMs).unref();
    wakeDeliveryWorkers(deps, ids).catch((error: unknown) =>
      deps.log.debug({ event: "destination", error }, "Deliveries could not be started at once"),
    );
  };
  return (ids) => {
    for (const id of ids) waiting.add(id);
    if (timer === undefined) flush();
  };
}

/**
 * One job at a time for a destination. Another one only asks for a further round, so that a destination that does not
 * respond occupies one worker of the process and not all of them.
 */
function oneAtATime(deps: DestinationDeps): Destinations["jobs"]["broadcast-traces"] {
  const more = new Map<string, boolean>();
  return async (payload, run) => {
    const { destination_id: id } = payload;
    if (more.has(id)) {
      more.set(id, true);
      return;
    }
    more.set(id, false);
    try {
      await deliverTraces(deps, payload, run);
      if (more.get(id)) await wakeDeliveryWorkers(deps, [id]);
    } finally {
      more.delete(id);
    }
  };
}

const openTraceDeliveries = (
  deps: DestinationDeps,
  broadcast: Broadcast,
  writer: PlannedWriter,
  tell: TraceDeliveries["tell"],
  keyNameOf: (keyId: string) => string,
): TraceDeliveries => ({
  // As `plan` made them, over JSON in the spool.
  write: (client, planned) => writer.write(client, planned as readonly Planned[]),
  tell,
  recover(row) {
    const key = { keyName: keyNameOf(row.api_key_id), workspaceId: row.workspace_id };
    try {
      // The content was only in the memory of the process.
      return broadcast.plan({ facts: row, request: {}, key, content: null, mayKeepAt: () => false }).traces;
    } catch (error) {
      deps.log.error({ event: "destination", generation_id: row.id, error }, "A trace could not be planned");
      return [];
    }
  },
});

/** Opens the destinations. `index` returns the current configuration. */
export function openDestinations(
  deps: DestinationDeps,
  index: () => DestinationIndex,
  keyNameOf: (keyId: string) => string,
): Destinations {
  const filters = new Filters<PlannedTrace>(deps.log);
  const broadcast = createBroadcast(deps.sealer, index, filters);
  const tell = notifier(deps);
  const writer = new PlannedWriter(deps, filters, tell);
  return {
    deps,
    broadcast,
    outbox: openTraceDeliveries(deps, broadcast, writer, tell, keyNameOf),
    async close() {
      await filters.close();
      await writer.close();
    },
    jobs: {
      "broadcast-traces": oneAtATime(deps),
      "keep-deliveries": () => maintainDeliveries(deps),
    },
  };
}
