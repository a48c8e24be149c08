import type pg from "pg";
import { uuidv7 } from "#server/platform/ids.ts";
import { limits } from "#server/platform/limits.ts";
import type { AwaitedFilters, Planned, PlannedTrace } from "./broadcast.ts";
import { type FailedDelivery, storedGenerations, writeDeliveries, writeFailed } from "./delivery-rows.ts";
import type { DestinationDeps } from "./deps.ts";
import { type FilterOutcome, type Filters, filterReasons } from "./filter/filters.ts";

const isAwaited = (planned: Planned): planned is AwaitedFilters => "awaited" in planned;
const isTrace = (planned: Planned): planned is PlannedTrace => !isAwaited(planned);

/** If a process died while its filters were running, the content of the generation is lost. */
const lost = (awaited: readonly AwaitedFilters[]): FilterOutcome<PlannedTrace> => ({
  traces: [],
  failures: awaited.flatMap((one) =>
    one.awaited.map((destination_id) => ({ destination_id, reason: filterReasons.lost })),
  ),
});

/** The log entry of deliveries whose filters failed. */
function failedBy(
  { failures }: FilterOutcome<PlannedTrace>,
  awaited: readonly AwaitedFilters[],
): FailedDelivery[] {
  return failures.flatMap((failure) => {
    const about = awaited.find((one) => one.awaited.includes(failure.destination_id));
    if (!about) return [];
    const { generation_id, content } = about;
    return [{ id: uuidv7(), generation_id, content, ...failure }];
  });
}

/**
 * Stores planned deliveries in the transaction of their generations. Results of filters that come later are stored in
 * a transaction of their own.
 */
export class PlannedWriter {
  readonly #deps: Pick<DestinationDeps, "database" | "log">;
  readonly #filters: Filters<PlannedTrace>;
  readonly #tell: (destinationIds: readonly string[]) => void;
  /** Stored generations whose filters have finished since, or will. */
  readonly #late = new Map<string, readonly AwaitedFilters[]>();
  #storing: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    deps: Pick<DestinationDeps, "database" | "log">,
    filters: Filters<PlannedTrace>,
    tell: (destinationIds: readonly string[]) => void,
  ) {
    this.#deps = deps;
    this.#filters = filters;
    this.#tell = tell;
  }

  /** Returns the destinations with pending deliveries. */
  async write(client: pg.ClientBase, planned: readonly Planned[]): Promise<string[]> {
    const traces: PlannedTrace[] = [];
    const failed: FailedDelivery[] = [];
    const awaiting = Map.groupBy(planned.filter(isAwaited), ({ generation_id }) => generation_id);
    for (const [id, awaited] of awaiting) {
      const retained = this.#filters.outcomeOf(id);
      const outcome = retained ? retained.outcome : lost(awaited);
      if (outcome) {
        traces.push(...outcome.traces);
        failed.push(...failedBy(outcome, awaited));
      } else if (!this.#late.has(id)) {
        this.#late.set(id, awaited);
        void retained?.final.then(() => this.#storeLate());
      }
    }
    await writeFailed(client, failed);
    return writeDeliveries(client, [...planned.filter(isTrace), ...traces]);
  }

  /** Stores the results so far. */
  async close(): Promise<void> {
    await this.#storing;
    await this.#storeLate();
    clearTimeout(this.#timer);
  }

  #storeLate(): Promise<void> {
    this.#storing ??= this.#store()
      .catch((error: unknown) =>
        this.#deps.log.warn(
          { event: "destination", error },
          "Traces that waited for filters could not be stored",
        ),
      )
      .finally(() => {
        this.#storing = null;
        clearTimeout(this.#timer);
        // Generations that are not stored yet, and results that came in the meantime.
        if (this.#late.size > 0) {
          this.#timer = setTimeout(() => void this.#storeLate(), limits.destinations.filterRetryMs).unref();
        }
      });
    return this.#storing;
  }

  async #store(): Promise<void> {
    const decided = [...this.#late].flatMap(([id, awaited]) => {
      const retained = this.#filters.outcomeOf(id);
      if (!retained) this.#late.delete(id);
      return retained?.outcome ? [{ id, awaited, outcome: retained.outcome }] : [];
    });
    if (decided.length === 0) return;
    const { stored, reported } = await this.#deps.database.batch(async (client) => {
      const present = await storedGenerations(
        client,
        decided.map(({ id }) => id),
      );
      const ready = decided.filter(({ id }) => present.has(id));
      await writeFailed(
        client,
        ready.flatMap(({ outcome, awaited }) => failedBy(outcome, awaited)),
      );
      const reported = await writeDeliveries(
        client,
        ready.flatMap(({ outcome }) => outcome.traces),
      );
      return { stored: ready, reported };
    });
    for (const { id } of stored) this.#late.delete(id);
    if (reported.length > 0) this.#tell(reported);
  }
}
