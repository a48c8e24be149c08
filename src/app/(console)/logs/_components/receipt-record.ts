import { deliveryContentLabels } from "#app/_lib/delivery-words.ts";
import type { DeliveryContent } from "#contract/destination.ts";
import { placeName } from "#contract/places.ts";

/** A destination in the record of a request. */
interface TraceRecipient {
  readonly id: string;
  readonly content: DeliveryContent;
  readonly residency: string | null;
  /** Left out if it is certain that the trace was handed over. */
  readonly certain?: false;
}

/** What the console shows of the record of a receipt. */
interface ReceiptRecord {
  readonly destinations: readonly TraceRecipient[];
  readonly request_digest?: string;
}

/** Reads the record of a receipt, which the server wrote. */
export function readRecord(record: string): ReceiptRecord {
  const { destinations = [], ...others }: Partial<ReceiptRecord> = JSON.parse(record);
  return { ...others, destinations };
}

/** `With content, stores in Germany`. */
export const traceText = ({ content, residency, certain }: TraceRecipient): string =>
  [
    deliveryContentLabels[content],
    residency === null ? "place of storage unknown" : `stores in ${placeName(residency)}`,
    ...(certain === false ? ["if its filters let it pass"] : []),
  ].join(", ");
