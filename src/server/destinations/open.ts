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
import type { JobHandlers } from "#server/jobs/queue.ts";
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
import { type DestinationParts, wakeLanes } from "./deps.ts";
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
import { keepDeliveries } from "./upkeep.ts";

type Reader = Authorized<"broadcast:read">;
type Writer = Authorized<"broadcast:write">;
interface Page<T> {
  readonly data: T[];
  readonly total_count: number;
}

/** What people do with destinations; each throws what the API answers with. */
interface Verbs {
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

/** Where finished generations leave their traces: in the transaction that stores them. */
interface TraceOutbox {
  write(client: pg.ClientBase, planned: readonly object[]): Promise<readonly string[]>;
  tell(ids: readonly string[]): void;
  /** What is to be stored with a generation whose process died before it could say so itself. */
  recover(row: GenerationFacts & { readonly workspace_id: string | null }): readonly object[];
}

export interface Destinations extends Verbs {
  readonly broadcast: Broadcast;
  readonly outbox: TraceOutbox;
  readonly jobs: Pick<JobHandlers, "broadcast-traces" | "keep-deliveries">;
  /** Resolves once filters have decided about all that was offered, and that is stored. */
  close(): Promise<void>;
}

/** Tells of new traces: at once, and then gathered for `notifyEveryMs`. Who is not told is found by the next minute's look. */
function teller(parts: DestinationParts): TraceOutbox["tell"] {
  let waiting = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    timer = undefined;
    if (waiting.size === 0) return;
    const ids = [...waiting];
    waiting = new Set();
    timer = setTimeout(flush, limits.destinations.notifyEveryMs).unref();
    wakeLanes(parts, ids).catch((error: unknown) =>
      parts.log.debug({ event: "destination", error }, "Destinations could not be told at once"),
    );
  };
  return (ids) => {
    for (const id of ids) waiting.add(id);
    if (timer === undefined) flush();
  };
}

/**
 * One job at a time for a destination: another that comes meanwhile only leaves word, so that a destination that
 * hangs holds one of a process's workers and not all of them.
 */
function oneAtATime(parts: DestinationParts): Destinations["jobs"]["broadcast-traces"] {
  const more = new Map<string, boolean>();
  return async (payload, run) => {
    const { destination_id: id } = payload;
    if (more.has(id)) {
      more.set(id, true);
      return;
    }
    more.set(id, false);
    try {
      await deliverTraces(parts, payload, run);
      if (more.get(id)) await wakeLanes(parts, [id]);
    } finally {
      more.delete(id);
    }
  };
}

const openOutbox = (
  parts: DestinationParts,
  broadcast: Broadcast,
  writer: PlannedWriter,
  tell: TraceOutbox["tell"],
  keyNameOf: (keyId: string) => string,
): TraceOutbox => ({
  // As `plan` made them, over JSON in the spool.
  write: (client, planned) => writer.write(client, planned as readonly Planned[]),
  tell,
  recover(row) {
    const key = { keyName: keyNameOf(row.api_key_id), workspaceId: row.workspace_id };
    try {
      // What was said died with the process.
      return broadcast.plan({ facts: row, request: {}, key, content: null, mayKeepAt: () => false });
    } catch (error) {
      parts.log.error({ event: "destination", generation_id: row.id, error }, "A trace could not be planned");
      return [];
    }
  },
});

/** All that others have to do with destinations, over the configuration as it is at each moment. */
export function openDestinations(
  parts: DestinationParts,
  index: () => DestinationIndex,
  keyNameOf: (keyId: string) => string,
): Destinations {
  const filters = new Filters<PlannedTrace>(parts.log);
  const broadcast = createBroadcast(parts.sealer, index, filters);
  const tell = teller(parts);
  const writer = new PlannedWriter(parts, filters, tell);
  return {
    broadcast,
    outbox: openOutbox(parts, broadcast, writer, tell, keyNameOf),
    async close() {
      await filters.close();
      await writer.close();
    },
    jobs: {
      "broadcast-traces": oneAtATime(parts),
      "keep-deliveries": () => keepDeliveries(parts),
    },
    list: (caller, query) => listDestinations(parts, caller, query),
    get: (caller, id) => getDestination(parts, caller, id),
    create: (caller, input) => createDestination(parts, caller, input),
    update: (caller, input) => updateDestination(parts, caller, input),
    remove: (caller, id) => removeDestination(parts, caller, id),
    testUnsaved: (caller, input) => testUnsaved(parts, caller, input),
    testSaved: (caller, id) => testSaved(parts, caller, id),
    deliveries: (caller, query) => listDeliveries(parts, caller, query),
    retry: (caller, input) => retryDelivery(parts, caller, input),
    types: describeTypes,
  };
}
