import type pg from "pg";
import { bundled, rangesOf } from "./entry.ts";
import { type Tile, type TilePlace, tileHashes } from "./tiles.ts";

/** A row of `log_tree`: the newest state of an organisation's log. */
export interface StoredTree {
  readonly origin: string;
  readonly size: number;
  /** The position of the last row of the audit log that is in it. */
  readonly audit_position: number;
  readonly checkpoint: string;
  /** Which key of the installation signed the checkpoint; empty before the first one. */
  readonly signed_with: string;
}

export type Query = <Row extends pg.QueryResultRow>(text: string, values: unknown[]) => Promise<Row[]>;

const selectTiles = `
  select level, position, hashes from log_tile
  join unnest($2::smallint[], $3::bigint[]) as wanted (level, position) using (level, position)
  where org_id = $1::uuid`;

/** Reads tiles of an organisation's log. */
export async function readTiles(query: Query, orgId: string, places: readonly TilePlace[]): Promise<Tile[]> {
  const rows = await query<{ level: number; position: string; hashes: Buffer }>(selectTiles, [
    orgId,
    places.map(({ level }) => level),
    places.map(({ position }) => position),
  ]);
  return rows.map(({ level, position, hashes }) => ({ level, position: Number(position), hashes }));
}

const upsertTiles = `
  insert into log_tile (org_id, level, position, hashes)
  select $1::uuid, level, position, hashes
  from unnest($2::smallint[], $3::bigint[], $4::bytea[]) as tile (level, position, hashes)
  on conflict (org_id, level, position) do update set hashes = excluded.hashes`;

export const writeTiles = (query: Query, orgId: string, tiles: readonly Tile[]): Promise<unknown> =>
  query(upsertTiles, [
    orgId,
    tiles.map(({ level }) => level),
    tiles.map(({ position }) => position),
    tiles.map(({ hashes }) => hashes),
  ]);

const upsertBundles = `
  insert into log_bundle (org_id, position, entries, first_audit, ids_from, ids_to)
  select $1::uuid, position, entries, first_audit, ids_from, ids_to
  from unnest($2::bigint[], $3::bytea[], $4::int[], $5::uuid[], $6::uuid[])
    as bundle (position, entries, first_audit, ids_from, ids_to)
  on conflict (org_id, position) do update set entries = log_bundle.entries || excluded.entries,
    first_audit = coalesce(log_bundle.first_audit, excluded.first_audit),
    ids_from = least(log_bundle.ids_from, excluded.ids_from), ids_to = greatest(log_bundle.ids_to, excluded.ids_to)`;

/** Appends entries to the bundles of a log that has `size` entries. */
export async function writeEntries(
  query: Query,
  orgId: string,
  size: number,
  entries: readonly Buffer[],
): Promise<void> {
  const parts: { position: number; entries: readonly Buffer[] }[] = [];
  for (let at = 0; at < entries.length; ) {
    const position = Math.floor((size + at) / tileHashes);
    const end = Math.min(entries.length, (position + 1) * tileHashes - size);
    parts.push({ position, entries: entries.slice(at, end) });
    at = end;
  }
  const ranges = parts.map((part) => rangesOf(part.entries));
  await query(upsertBundles, [
    orgId,
    parts.map(({ position }) => position),
    parts.map((part) => bundled(part.entries)),
    ranges.map(({ firstAudit }) => firstAudit),
    ranges.map(({ idsFrom }) => idsFrom),
    ranges.map(({ idsTo }) => idsTo),
  ]);
}
