import fc from "fast-check";
import type { StoredDocument } from "#server/db/index.ts";
import type { Decision } from "#server/policy/index.ts";
import { type RecordedRequest, readRoutingInput, replayDecision } from "#server/policy/replay.ts";
import { type RouteRecord, routeRecord } from "#server/policy/route-record.ts";
import { arbitraryWishes, models } from "./arbitrary-policies.ts";

const asked = models.map(({ id }) => id);

const preferences = fc
  .tuple(
    arbitraryWishes,
    fc.record(
      {
        sort: fc.constantFrom("price", "latency", "throughput"),
        order: fc.subarray(["alpha", "beta/eu", "gamma"]),
        allow_fallbacks: fc.boolean(),
        require_parameters: fc.boolean(),
        preferred_max_latency: fc.constantFrom(1, 5),
      },
      { requiredKeys: [] },
    ),
  )
  .map(([hard, soft]) => ({ ...hard, ...soft }));

/** What requests ask for, and what they need of endpoints. */
export const arbitraryRequests = fc.record({
  ask: fc.record(
    {
      models: fc.constantFrom(
        asked,
        ["m/one"],
        ["one", "m/two"],
        ["m/two:floor"],
        ["m/one:free", "m/unknown"],
        ["m/one:floor", "m/one", "one"],
      ),
      provider: preferences,
    },
    { requiredKeys: ["models"] },
  ),
  needs: fc.record({
    promptTokens: fc.constantFrom(1, 5_000, 131_000, 131_071, 131_072, 400_000),
    maxTokens: fc.constantFrom(null, 100, 16_384, 20_000),
    parameters: fc.subarray(["temperature", "seed", "tools", "structured_outputs", "logprobs"]),
    inputModalities: fc.constantFrom([], ["image"]),
    outputModalities: fc.constantFrom([], ["audio"]),
  }),
});

/** The documents of records by hash, as the database has them: as text. */
export class Documents {
  readonly #inputs = new Map<string, string>();
  readonly #facts = new Map<string, string>();

  add({ basis, inputs, facts }: RouteRecord): void {
    for (const { hash, body } of [basis, ...inputs]) this.#inputs.set(hash, body);
    for (const { hash, body } of facts) this.#facts.set(hash, body);
  }

  readonly input = (hash: string): StoredDocument | undefined => this.#found(this.#inputs, hash);
  readonly facts = (hash: string): StoredDocument | undefined => this.#found(this.#facts, hash);

  get size(): number {
    return this.#inputs.size + this.#facts.size;
  }

  #found(documents: ReadonlyMap<string, string>, hash: string): StoredDocument | undefined {
    const body = documents.get(hash);
    return body === undefined ? undefined : { hash, body };
  }
}

/** Records decisions and makes them again from the documents alone. Returns both records. */
export function recordAndReplay(
  decisions: readonly Decision[],
  request: Omit<RecordedRequest, "ranked">,
  documents = new Documents(),
): {
  readonly recorded: RouteRecord;
  readonly ranked: RecordedRequest["ranked"];
  readonly replayed: RouteRecord;
  readonly decisions: readonly Decision[];
} {
  const recorded = routeRecord(decisions);
  documents.add(recorded);
  const { inputs, endpoints } = JSON.parse(recorded.basis.body) as {
    readonly inputs: string;
    readonly endpoints: readonly string[];
  };
  const ranked = recorded.ranked.map((order) => order.map((at) => endpoints[at] ?? ""));
  const replayed = replayDecision(
    { ...request, ranked },
    readRoutingInput(documents.input, inputs),
    documents,
  );
  return { recorded, ranked, replayed: replayed.record, decisions: replayed.routed.decisions };
}
