import type { Authorized } from "#server/access/authorize.ts";
import type { Database } from "#server/db/index.ts";
import { signCheckpoint } from "./checkpoint.ts";
import { entriesIn, isOf, uuidOf } from "./entry.ts";
import { computedFor, type LogDeps, treeOf } from "./read-log.ts";
import { tileHashes } from "./tiles.ts";
import { rootHash } from "./tree.ts";

const selectBundles = `
  select position, entries from log_bundle
  where org_id = $1::uuid and ids_from <= $3::uuid and ids_to >= $2::uuid order by position`;

/** The indexes of the entries about generations of an organisation, by ID; those that are not in the log are missing. */
export async function locateGenerations(
  { statement }: Database,
  orgId: string,
  ids: ReadonlySet<string>,
): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  const sorted = [...ids].sort();
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined || last === undefined) return found;
  const bundles = await statement<{ position: string; entries: Buffer }>(selectBundles, [orgId, first, last]);
  for (const { position, entries } of bundles)
    for (const [at, entry] of entriesIn(entries).entries()) {
      if (!isOf("generation", entry)) continue;
      const id = uuidOf(entry);
      if (ids.has(id) && !found.has(id)) found.set(id, Number(position) * tileHashes + at);
    }
  return found;
}

/**
 * The checkpoint of the organisation's log as it was with `size` entries. It is the same whenever it is made, because the
 * tree only grows and signatures are deterministic. Throws NOT_FOUND without a log.
 */
export async function checkpointAt(
  deps: LogDeps,
  caller: Pick<Authorized<"audit:read", "organisation">, "orgId">,
  size: number,
): Promise<{ readonly checkpoint: string; readonly publicKeys: readonly string[] }> {
  const { origin } = await treeOf(deps, caller);
  const root = await computedFor(deps, caller, (hashAt) => rootHash(size, hashAt));
  const keys = deps.signer.keysOf(origin);
  return {
    checkpoint: signCheckpoint({ origin, size, root }, keys),
    publicKeys: keys.map(({ publicKey }) => publicKey),
  };
}
