import type { SelectionDeps } from "../selection.ts";
import { type FactsByEndpoint, factsOfDecisions } from "../stored-facts.ts";
import { assertWithin, type PackageBounds } from "./bounds.ts";
import { readDecisions, type StoredDecision } from "./decisions.ts";
import type { PackagedRequest } from "./packaged-requests.ts";

/** The decisions of the requests of a package and the facts that they refer to, each read once. */
export class KnownDocuments {
  readonly #deps: SelectionDeps;
  readonly #orgId: string;
  readonly #bounds: PackageBounds;
  readonly #seen = new Set<string>();
  readonly #decisions = new Map<string, StoredDecision>();
  readonly #facts = new Map<string, FactsByEndpoint>();

  constructor(deps: SelectionDeps, orgId: string, bounds: PackageBounds) {
    this.#deps = deps;
    this.#orgId = orgId;
    this.#bounds = bounds;
  }

  /** Reads those that some requests refer to. Throws BAD_REQUEST if they are too many for a package. */
  async read(requests: readonly PackagedRequest[]): Promise<void> {
    const { database, adequacyOff } = this.#deps;
    const hashes = new Set(requests.flatMap(({ decision }) => decision ?? []));
    const missing = [...hashes.difference(this.#seen)].sort();
    if (missing.length === 0) return;
    for (const hash of missing) this.#seen.add(hash);
    assertWithin(this.#bounds, "decisionsMax", this.#seen.size);
    for (const [hash, one] of await readDecisions(database, this.#orgId, missing))
      this.#decisions.set(hash, one);
    for (const [hash, one] of await factsOfDecisions(database, this.#orgId, missing, adequacyOff))
      this.#facts.set(hash, one);
  }

  /** By hash. */
  decisions(): ReadonlyMap<string, StoredDecision> {
    return this.#decisions;
  }

  decisionOf(hash: string | null): StoredDecision | undefined {
    return this.#decisions.get(hash ?? "");
  }

  factsOf(decision: string | null): FactsByEndpoint | undefined {
    return this.#facts.get(decision ?? "");
  }

  /** Texts of all facts by their hashes. */
  factTexts(): ReadonlyMap<string, string> {
    return new Map(
      [...this.#facts.values()].flatMap((byEndpoint) =>
        [...byEndpoint.values()].map(({ hash, text }) => [hash, text] as const),
      ),
    );
  }
}
