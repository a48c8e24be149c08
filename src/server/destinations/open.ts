import type pg from "pg";
import type {
  Delivery,
  DeliveryListQuery,
  Destination,
  DestinationCreate,
  DestinationListQuery,
  DestinationTest,
  DestinationTestRequest,
  DestinationType,
  DestinationUpdate,
} from "#contract/destination.ts";
import type { Authorized } from "#server/access/authorize.ts";
import type { JobHandlers } from "#server/jobs/queue/job-table.ts";
import { limits } from "#server/platform/limits.ts";
import {
  type Broadcast,
  createBroadcast,
  type DestinationIndex,
  type Planned,
  type PlannedTrace,
} from "./broadcast.ts";
import { listDeliveries, retryDelivery } from "./deliveries.ts";
import { deliverTraces } from "./delivery-worker.ts";
import { type DestinationDeps, wakeDeliveryWorkers } from "./deps.ts";
import {
  createDestination,
  getDestination,
  listDestinations,
  removeDestination,
  updateDestination,
} from "./destinations.ts";
import { Filters } from "./filter/filters.ts";
import { PlannedWriter } from "./planned-writer.ts";
import type { GenerationFacts } from "./trace/facts.ts";
import { testSaved, testUnsaved } from "./try-out.ts";
import { describeTypes } from "./types.ts";
import { maintainDeliveries } from "./upkeep.ts";

type Reader = Authorized<"broadcast:read">;
type Writer = Authorized<"broadcast:write">;
interface Page<T> {
  readonly data: T[];
  readonly total_count: number;
}

/** Operations of the API; each throws the error that the API returns. */
interface Operations {
  list(caller: Reader, query: DestinationListQuery): Promise<Page<Destination>>;
  get(caller: Reader, id: string): Promise<Destination>;
  create(caller: Writer, input: DestinationCreate): Promise<Destination>;
  update(caller: Writer, input: DestinationUpdate): Promise<Destination>;
  remove(caller: Writer, id: string): Promise<void>;
  testUnsaved(caller: Writer, input: DestinationTestRequest): Promise<DestinationTest>;
  testSaved(caller: Writer, id: string): Promise<DestinationTest>;
  deliveries(caller: Reader, query: DeliveryListQuery): Promise<Page<Delivery>>;
  retry(caller: Writer, input: { id: string; delivery_id: string }): Promise<Delivery>;
  /** Every type with the schema of its configuration, from which forms are made. */
  types(): DestinationType[];
}

/** Stores the traces of finished generations, in the transaction that stores the generations. */
interface TraceDeliveries {
  write(client: pg.ClientBase, planned: readonly object[]): Promise<readonly string[]>;
  tell(ids: readonly string[]): void;
  /** The traces of a generation whose process ended before it could plan them. */
  recover(row: GenerationFacts & { readonly workspace_id: string | null }): readonly object[];
}

export interface Destinations extends Operations {
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
      return broadcast.plan({ facts: row, request: {}, key, content: null, mayKeepAt: () => false });
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
    list: (caller, query) => listDestinations(deps, caller, query),
    get: (caller, id) => getDestination(deps, caller, id),
    create: (caller, input) => createDestination(deps, caller, input),
    update: (caller, input) => updateDestination(deps, caller, input),
    remove: (caller, id) => removeDestination(deps, caller, id),
    testUnsaved: (caller, input) => testUnsaved(deps, caller, input),
    testSaved: (caller, id) => testSaved(deps, caller, id),
    deliveries: (caller, query) => listDeliveries(deps, caller, query),
    retry: (caller, input) => retryDelivery(deps, caller, input),
    types: describeTypes,
  };
}
