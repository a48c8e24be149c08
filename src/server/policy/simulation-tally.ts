import type { SimulationResult } from "#contract/simulation.ts";
import type { Endpoint } from "#server/catalog/index.ts";
import { decimalFromPico, type Pico } from "#server/platform/money.ts";

/** Where one generation went and would go, with its costs there; null = refused. */
export interface Outcome {
  readonly model: string;
  readonly before: { readonly endpoint: Endpoint; readonly cost: Pico } | null;
  readonly after: { readonly endpoint: Endpoint; readonly cost: Pico } | null;
}

class Sums {
  considered = 0;
  refused = 0;
  moved = 0;
  before: Pico = 0n;
  after: Pico = 0n;

  add({ before, after }: Outcome): void {
    this.considered++;
    if (before && !after) this.refused++;
    if (before && after && before.endpoint.id !== after.endpoint.id) this.moved++;
    this.before += before?.cost ?? 0n;
    this.after += after?.cost ?? 0n;
  }

  toWire() {
    return {
      considered: this.considered,
      refused: this.refused,
      moved_count: this.moved,
      cost_eur_before: decimalFromPico(this.before),
      cost_eur_after: decimalFromPico(this.after),
      cost_eur_change: decimalFromPico(this.after - this.before),
    };
  }
}

const count = (counts: Map<string, number>, key: string): void => {
  counts.set(key, (counts.get(key) ?? 0) + 1);
};

const byCount = <T>(a: readonly [T, number], b: readonly [T, number]): number => b[1] - a[1];

const placeOf = ({ countries, regionGroups }: Endpoint): string =>
  (countries.length > 0 ? countries : regionGroups).join("+") || "unknown";

const flowsMax = 200;

type Stop = SimulationResult["flows"][number]["before"];
const stopOf = (served: Outcome["before"]): Stop =>
  served && { provider: served.endpoint.provider.slug, place: placeOf(served.endpoint) };

/** Sums up the changes by a draft. */
export class Tally {
  readonly #all = new Sums();
  readonly #models = new Map<string, Sums>();
  readonly #moves = new Map<string, number>();
  readonly #flows = new Map<string, number>();
  readonly #placesBefore = new Map<string, number>();
  readonly #placesAfter = new Map<string, number>();
  #refusedAlready = 0;
  #unchanged = 0;

  add(outcome: Outcome): void {
    const { model, before, after } = outcome;
    const sums = this.#models.get(model) ?? new Sums();
    this.#models.set(model, sums);
    sums.add(outcome);
    this.#all.add(outcome);
    count(this.#flows, JSON.stringify([stopOf(before), stopOf(after)]));
    if (before) count(this.#placesBefore, placeOf(before.endpoint));
    if (after) count(this.#placesAfter, placeOf(after.endpoint));
    if (!before) this.#refusedAlready++;
    else if (before.endpoint.id === after?.endpoint.id) this.#unchanged++;
    else if (after) {
      count(this.#moves, JSON.stringify([before.endpoint.provider.slug, after.endpoint.provider.slug]));
    }
  }

  toWire(since: string, truncated: boolean): SimulationResult {
    return {
      since,
      ...this.#all.toWire(),
      unchanged: this.#unchanged,
      refused_already: this.#refusedAlready,
      truncated,
      moved: [...this.#moves].sort(byCount).map(([key, times]) => {
        const [from, to] = JSON.parse(key) as [string, string];
        return { from, to, count: times };
      }),
      flows: [...this.#flows]
        .sort(byCount)
        .slice(0, flowsMax)
        .map(([key, times]) => {
          const [before, after] = JSON.parse(key) as [Stop, Stop];
          return { before, after, count: times };
        }),
      residency: {
        before: Object.fromEntries([...this.#placesBefore].sort(byCount)),
        after: Object.fromEntries([...this.#placesAfter].sort(byCount)),
      },
      by_model: [...this.#models].map(([model, sums]) => ({ model, ...sums.toWire() })),
    };
  }
}
