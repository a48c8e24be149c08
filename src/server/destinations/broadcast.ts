import type { DeliveryContent } from "#contract/destination.ts";
import type { PrismaClient } from "#generated/prisma/client.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import type { SealedPlace, Sealer } from "#server/platform/sealing.ts";
import { type ActiveDestination, chosen, contentFor, type Offer } from "./choose.ts";
import { cutContent } from "./cut-content.ts";
import { filterRulesOf } from "./destination-rows.ts";
import { type LabelledRequest, labelsOf, type TraceLabels, type TracePayload } from "./trace/facts.ts";
import { impersonalLabels, tellsOfPersons } from "./trace/impersonal.ts";

/** Destinations that are to get something, by organisation: part of the configuration every process holds. */
export type DestinationIndex = ReadonlyMap<string, readonly ActiveDestination[]>;

export async function loadDestinationIndex(prisma: PrismaClient): Promise<DestinationIndex> {
  const rows = await prisma.destination.findMany({
    where: { enabled: true, stopped_reason: null },
    select: {
      id: true,
      org_id: true,
      workspace_id: true,
      privacy_mode: true,
      sampling_rate: true,
      api_key_filter: true,
      filter_rules: true,
      residency: true,
    },
  });
  const index = new Map<string, ActiveDestination[]>();
  for (const row of rows) {
    const known = index.get(row.org_id) ?? [];
    known.push({
      id: row.id,
      orgId: row.org_id,
      workspaceId: row.workspace_id,
      privacyMode: row.privacy_mode,
      samplingRate: row.sampling_rate.toNumber(),
      keyIds: row.api_key_filter.length > 0 ? new Set(row.api_key_filter) : null,
      filterRules: filterRulesOf(row),
      residency: row.residency,
    });
    index.set(row.org_id, known);
  }
  return index;
}

/** One trace for all destinations that get the same of it, ready to be stored. */
export interface PlannedTrace {
  readonly generation_id: string;
  readonly content: DeliveryContent;
  /** A `TracePayload`, sealed once however many get it. */
  readonly payload: string;
  readonly deliveries: readonly { readonly id: string; readonly destination_id: string }[];
}

/** What one destination may have of a generation opens in no place that is for more, or for less. */
export const payloadPlace = (
  { generation_id, content }: { generation_id: string; content: string },
  orgId: string,
): SealedPlace => ({
  table: "destination_delivery",
  column: "payload",
  rowId: `${generation_id}:${content}`,
  orgId,
});

/** A generation that has ended, with what its request said about traces and whose key it came with. */
export interface Ended extends Omit<Offer, "labels"> {
  readonly request: LabelledRequest;
  readonly key: Pick<TraceLabels, "keyName" | "workspaceId">;
}

export interface Broadcast {
  /** Whether anybody could want the organisation's generations: when not, nothing is gathered. */
  wants(orgId: string): boolean;
  /** Who gets a generation, and what of it. What a destination may not have is not in its payload. */
  plan(ended: Ended): PlannedTrace[];
}

/** Content is made at most once, whoever asks. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

export function createBroadcast(sealer: Sealer, index: () => DestinationIndex): Broadcast {
  return {
    wants: (orgId) => index().has(orgId),
    plan({ request, key, ...given }) {
      const { id: generation_id, org_id: orgId } = given.facts;
      const labels = labelsOf(request, key);
      const said = given.content === null ? null : once(given.content);
      const offer: Offer = { ...given, labels, content: said };
      const takers = (index().get(orgId) ?? []).filter((destination) => chosen(destination, offer));
      const groups = Map.groupBy(takers, (destination) => contentFor(destination, offer));
      return [...groups].map(([content, destinations]) => {
        const payload: TracePayload = {
          labels: tellsOfPersons(content) ? labels : impersonalLabels(labels),
          content: content === "sent" && said ? cutContent(said()) : null,
        };
        const place = payloadPlace({ generation_id, content }, orgId);
        return {
          generation_id,
          content,
          payload: sealer.seal(JSON.stringify(payload), place),
          deliveries: destinations.map(({ id }) => ({ id: uuidv7(), destination_id: id })),
        };
      });
    },
  };
}
