import {
  type Delivery,
  DeliveryContent,
  type DeliveryListQuery,
  DeliveryStatus,
} from "#contract/destination.ts";
import type { Prisma } from "#generated/prisma/client.ts";
import type { Authorized } from "#server/access/authorize.ts";
import { changeRecords } from "#server/audit/change.ts";
import { type Page, readColumns, readPage, reporting } from "#server/db/index.ts";
import { clock, dateAt } from "#server/platform/clock.ts";
import { AppError, found } from "#server/platform/errors.ts";
import { type DestinationDeps, wakeDeliveryWorkers } from "./deps.ts";
import { findDestination } from "./destination-access.ts";

const columns = {
  id: true,
  generation_id: true,
  status: true,
  content: true,
  attempts: true,
  due_at: true,
  response_code: true,
  reason: true,
  created_at: true,
  finished_at: true,
} satisfies Prisma.destination_deliverySelect;

type Row = Prisma.destination_deliveryGetPayload<{ select: typeof columns }>;

const toWire = ({ due_at, ...row }: Row): Delivery => ({
  ...row,
  ...readColumns(row, { status: [DeliveryStatus, "failed"], content: [DeliveryContent, "none"] }),
  next_attempt_at: row.status === "pending" ? due_at.toISOString() : null,
  created_at: row.created_at.toISOString(),
  finished_at: row.finished_at?.toISOString() ?? null,
});

/** Returns the deliveries to a destination, newest first. */
export async function listDeliveries(
  { database }: DestinationDeps,
  caller: Authorized<"broadcast:read">,
  { id, status, ...paging }: DeliveryListQuery,
): Promise<Page<Delivery>> {
  await findDestination(database.prisma, caller, id);
  const where = { destination_id: id, ...(status && { status }) };
  const { destination_delivery: deliveries } = database.prisma;
  return readPage(paging, {
    rows: (window) => deliveries.findMany({ where, select: columns, orderBy: { id: "desc" }, ...window }),
    count: () => deliveries.count({ where }),
    toWire: (rows) => reporting(database.reportRow, "destination_delivery", rows.map(toWire)),
  });
}

/** Retries a failed delivery. The content of a delivered one is deleted, so it cannot be sent twice. */
export async function retryDelivery(
  deps: DestinationDeps,
  caller: Authorized<"broadcast:write">,
  { id, delivery_id }: { id: string; delivery_id: string },
): Promise<Delivery> {
  const delivery = await changeRecords(deps.database, caller, "destination.redeliver", async (tx) => {
    await findDestination(tx, caller, id);
    const where = { id: delivery_id, destination_id: id };
    const select = { ...columns, payload: true };
    const before = found(
      await tx.destination_delivery.findFirst({ where, select }),
      "delivery",
      "delivery_id",
    );
    if (before.status === "pending") return { result: toWire(before), audit: null };
    if (before.payload === null) {
      throw new AppError(
        "CONFLICT",
        `The delivery was ${before.status}, and its content is no longer available`,
        {
          param: "delivery_id",
        },
      );
    }
    const now = dateAt(clock.nowMs());
    const { payload: _, ...row } = await tx.destination_delivery.update({
      where: { id: delivery_id },
      // The time limit for giving up starts again.
      data: { status: "pending", attempts: 0, due_at: now, created_at: now, finished_at: null },
      select,
    });
    return { result: toWire(row), audit: { id, after: { delivery_id, generation_id: row.generation_id } } };
  });
  await wakeDeliveryWorkers(deps, [id]);
  return delivery;
}
