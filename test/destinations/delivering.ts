import { DestinationCreate } from "#contract/destination.ts";
import { authorize } from "#server/access/authorize.ts";
import { permissions } from "#server/access/permissions.ts";
import type { GenerationRow } from "#server/billing/index.ts";
import type { Database } from "#server/db/index.ts";
import { createBroadcast, loadDestinationIndex, type PlannedTrace } from "#server/destinations/broadcast.ts";
import { writeDeliveries } from "#server/destinations/delivery-rows.ts";
import { deliverTraces } from "#server/destinations/delivery-worker.ts";
import type { DestinationDeps } from "#server/destinations/deps.ts";
import { createDestination } from "#server/destinations/destinations.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { silentLog } from "#server/platform/log.ts";
import { createMetrics } from "#server/platform/metrics.ts";
import { allowedHosts, Outbound } from "#server/platform/outbound.ts";
import { createSealer } from "#server/platform/sealing.ts";
import type { TestOrganisation } from "#test/factories.ts";
import { samplePayload } from "./sample.ts";

/** The ENCRYPTION_KEY of tests. */
export const encryptionKey = Buffer.alloc(32, 7);

/** What delivering needs, over a database, without a queue: a test starts its workers itself. */
export function deliveryDeps(database: Database): DestinationDeps {
  return {
    database,
    sealer: createSealer([encryptionKey]),
    outbound: new Outbound(allowedHosts(["127.0.0.1"])),
    queue: {
      enqueue: async () => true,
      enqueueAll: async () => {},
      hasten: async () => {},
      wake: () => {},
      work: async () => {},
      close: async () => {},
    },
    log: silentLog,
    metrics: createMetrics(),
  };
}

/** Saves a destination as a person of the organisation would. Returns its id. */
export async function addDestination(
  deps: DestinationDeps,
  { caller }: Pick<TestOrganisation, "caller">,
  body: object,
): Promise<string> {
  const input = DestinationCreate.parse({ name: uuidv7(), type: "otel-collector", ...body });
  const writer = authorize({ ...caller, permissions: new Set(permissions) }, "broadcast:write", "workspace");
  const { id } = await createDestination(deps, writer, input);
  return id;
}

const noFilters = {
  search() {
    throw new Error("No destination of these tests searches texts");
  },
};

/** Stores generations with their traces, as the flush does. */
export async function storeTraces(
  deps: DestinationDeps,
  rows: readonly GenerationRow[],
  content = samplePayload.content ?? { input: [], output: [] },
): Promise<void> {
  const index = await loadDestinationIndex(deps.database.prisma, () => {});
  const broadcast = createBroadcast(deps.sealer, () => index, noFilters);
  const planned = rows.flatMap(
    (facts) =>
      broadcast.plan({
        facts,
        request: {},
        key: samplePayload.labels,
        content: () => content,
        mayKeepAt: () => true,
      }).traces,
  );
  await deps.database.batch(async (client) => {
    await client.query(
      "insert into generation select * from json_populate_recordset(null::generation, $1::json)",
      [JSON.stringify(rows)],
    );
    await writeDeliveries(
      client,
      planned.filter((one): one is PlannedTrace => "deliveries" in one),
    );
  });
}

/** One worker's turn at a destination. */
export const runDeliveryWorker = (
  deps: DestinationDeps,
  id: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> => deliverTraces(deps, { destination_id: id }, { id: uuidv7(), signal });
