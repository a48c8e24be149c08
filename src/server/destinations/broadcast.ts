import type { DeliveryContent } from "#contract/destination.ts";
import type { TraceContent } from "#contract/trace-content.ts";
import type { PrismaClient } from "#generated/prisma/client.ts";
import { type ReportRow, readRows, type TraceRecipient } from "#server/db/index.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { limits } from "#server/platform/limits.ts";
import type { SealedPlace, Sealer } from "#server/platform/sealing.ts";
import { type ActiveDestination, chosen, contentFor, type Offer } from "./choose.ts";
import { cutContent } from "./cut-content.ts";
import { filterRulesOf } from "./destination-rows.ts";
import { type FilterValues, passesQuickly, readsTexts } from "./filter/evaluate.ts";
import type { Filters } from "./filter/filters.ts";
import { filterValues } from "./filter/values.ts";
import { type LabelledRequest, labelsOf, type TraceLabels, type TracePayload } from "./trace/facts.ts";
import { impersonalLabels, tellsOfPersons } from "./trace/impersonal.ts";

/** Destinations that want traces, by organisation: part of the configuration of every process. */
export type DestinationIndex = ReadonlyMap<string, readonly ActiveDestination[]>;

/** Loads the active destinations. One that cannot be read gets nothing. */
export async function loadDestinationIndex(
  prisma: PrismaClient,
  report: ReportRow,
): Promise<DestinationIndex> {
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
  const read = (row: (typeof rows)[number]): ActiveDestination => ({
    id: row.id,
    orgId: row.org_id,
    workspaceId: row.workspace_id,
    privacyMode: row.privacy_mode,
    samplingRate: row.sampling_rate.toNumber(),
    keyIds: row.api_key_filter.length > 0 ? new Set(row.api_key_filter) : null,
    filterRules: filterRulesOf(row),
    residency: row.residency,
  });
  return Map.groupBy(readRows(rows, { table: "destination", report, read }), ({ orgId }) => orgId);
}

/** One trace for all destinations that get the same content, ready to be stored. */
export interface PlannedTrace {
  readonly generation_id: string;
  readonly content: DeliveryContent;
  /** A `TracePayload`, sealed once for all of them. */
  readonly payload: string;
  readonly deliveries: readonly { readonly id: string; readonly destination_id: string }[];
}

/** A placeholder for destinations whose filters are still running; `Filters` has the result. */
export interface AwaitedFilters {
  readonly generation_id: string;
  readonly content: DeliveryContent;
  readonly awaited: readonly string[];
}
export type Planned = PlannedTrace | AwaitedFilters;

/** Which destinations get a generation, and the traces to store for them. */
export interface TracePlan {
  readonly recipients: readonly TraceRecipient[];
  readonly traces: readonly Planned[];
}

/** A payload is sealed for its content level, so it cannot be opened for more or less content. */
export const payloadPlace = (
  { generation_id, content }: { generation_id: string; content: string },
  orgId: string,
): SealedPlace => ({
  table: "destination_delivery",
  column: "payload",
  rowId: `${generation_id}:${content}`,
  orgId,
});

/** A finished generation, with the trace fields of its request and the name of its key. */
export interface Ended extends Omit<Offer, "labels"> {
  readonly request: LabelledRequest;
  readonly key: Pick<TraceLabels, "keyName" | "workspaceId">;
}

export interface Broadcast {
  /** Whether any destination may want the organisation's generations; if not, nothing is collected. */
  wants(orgId: string): boolean;
  /**
   * Plans which destinations get a generation, with which content. A payload contains only what its destination may
   * have. Filters that search texts run elsewhere in the meantime.
   */
  plan(ended: Ended): TracePlan;
}

/** Content is created at most once. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

type Taker = readonly [destination: ActiveDestination, content: DeliveryContent];

const recipient = ([{ id, residency }, content]: Taker): TraceRecipient => ({ content, id, residency });
const possibleRecipient = ([{ id, residency }, content]: Taker): TraceRecipient => ({
  certain: false,
  ...{ content, id, residency },
});

/** What each of these destinations gets, sealed. */
function tracesOf(
  sealer: Sealer,
  { facts, labels }: Pick<Offer, "facts" | "labels">,
  takers: readonly Taker[],
  said: () => TraceContent | null,
): PlannedTrace[] {
  const { id: generation_id, org_id: orgId } = facts;
  return [...Map.groupBy(takers, ([, content]) => content)].map(([content, group]) => {
    const payload: TracePayload = {
      labels: tellsOfPersons(content) ? labels : impersonalLabels(labels),
      content: content === "sent" ? said() : null,
    };
    return {
      generation_id,
      content,
      payload: sealer.seal(JSON.stringify(payload), payloadPlace({ generation_id, content }, orgId)),
      deliveries: group.map(([{ id }]) => ({ id: uuidv7(), destination_id: id })),
    };
  });
}

const charBytes = 2;

export function createBroadcast(
  sealer: Sealer,
  index: () => DestinationIndex,
  filters: Pick<Filters<PlannedTrace>, "search">,
): Broadcast {
  /** Starts the filters that search texts, with no more data than their destinations may get. */
  function searched(
    offer: Offer,
    takers: readonly Taker[],
    values: FilterValues,
    cut: () => TraceContent | null,
  ): AwaitedFilters[] {
    // Not the offer, which references the complete request.
    const about = { facts: offer.facts, labels: offer.labels };
    const { id: generationId, org_id: orgId } = about.facts;
    const searches = takers.flatMap(([{ id, filterRules: rules }]) =>
      rules ? [{ destinationId: id, rules }] : [],
    );
    const stored = takers.some(([, content]) => content === "sent") ? cut() : null;
    const { input, output } = values.texts ?? { input: { start: "" }, output: { start: "" } };
    filters.search({
      generationId,
      orgId,
      searches,
      values,
      bytes:
        charBytes * (input.start.length + output.start.length) +
        (stored ? charBytes * JSON.stringify(stored).length : 0) +
        limits.destinations.filterTaskBytes,
      tracesFor: (ids) =>
        tracesOf(
          sealer,
          about,
          takers.filter(([{ id }]) => ids.has(id)),
          () => stored,
        ),
    });
    return [...Map.groupBy(takers, ([, content]) => content)].map(([content, group]) => ({
      generation_id: generationId,
      content,
      awaited: group.map(([{ id }]) => id),
    }));
  }

  return {
    wants: (orgId) => index().has(orgId),
    plan({ request, key, ...given }) {
      const labels = labelsOf(request, key);
      const said = given.content === null ? null : once(given.content);
      const cut = once(() => said && cutContent(said()));
      const offer: Offer = { ...given, labels, content: said };
      const active = (index().get(given.facts.org_id) ?? []).filter((destination) =>
        chosen(destination, offer),
      );
      const reads = active.some(({ filterRules }) => readsTexts(filterRules));
      const values = once(() => filterValues(given.facts, labels.keyName, reads && said ? said() : null));
      const [now, later]: [Taker[], Taker[]] = [[], []];
      for (const destination of active) {
        const passed = destination.filterRules === null || passesQuickly(destination.filterRules, values());
        if (passed !== false) (passed ? now : later).push([destination, contentFor(destination, offer)]);
      }
      const planned: Planned[] = tracesOf(sealer, offer, now, cut);
      const traces = later.length === 0 ? planned : [...planned, ...searched(offer, later, values(), cut)];
      return { recipients: [...now.map(recipient), ...later.map(possibleRecipient)], traces };
    },
  };
}
