import type pg from "pg";
import { bundled, entriesOf, entryBytes, rangesOf } from "./entry.ts";
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

/** Parts of one value: PostgreSQL takes a value in binary form, and the items of an array only as text. */
function joinedParts(parts: readonly Buffer[]) {
  let end = 0;
  const starts = parts.map(({ length }) => {
    const start = end + 1;
    end += length;
    return start;
  });
  return { bytes: Buffer.concat(parts), starts, lengths: parts.map(({ length }) => length) };
}

const upsertTiles = `
  insert into log_tile (org_id, level, position, hashes)
  select $1::uuid, level, position, substring($2::bytea from start for length)
  from unnest($3::int[], $4::int[], $5::smallint[], $6::bigint[]) as tile (start, length, level, position)
  on conflict (org_id, level, position) do update set hashes = excluded.hashes`;

export function writeTiles(query: Query, orgId: string, tiles: readonly Tile[]): Promise<unknown> {
  const { bytes, starts, lengths } = joinedParts(tiles.map(({ hashes }) => hashes));
  const [levels, positions] = [tiles.map(({ level }) => level), tiles.map(({ position }) => position)];
  return query(upsertTiles, [orgId, bytes, starts, lengths, levels, positions]);
}

const upsertBundles = `
  insert into log_bundle (org_id, position, entries, first_audit, ids_from, ids_to)
  select $1::uuid, position, substring($2::bytea from start for length), first_audit, ids_from, ids_to
  from unnest($3::int[], $4::int[], $5::bigint[], $6::int[], $7::uuid[], $8::uuid[])
    as bundle (start, length, position, first_audit, ids_from, ids_to)
  on conflict (org_id, position) do update set entries = log_bundle.entries || excluded.entries,
    first_audit = coalesce(log_bundle.first_audit, excluded.first_audit),
    ids_from = least(log_bundle.ids_from, excluded.ids_from), ids_to = greatest(log_bundle.ids_to, excluded.ids_to)`;

/** Appends entries, one after the other, to the bundles of a log that has `size` entries. */
export async function writeEntries(
  query: Query,
  orgId: string,
  size: number,
  entries: Buffer,
): Promise<void> {
  const count = entries.length / entryBytes;
  const parts: { position: number; entries: Buffer }[] = [];
  for (let at = 0; at < count; ) {
    const position = Math.floor((size + at) / tileHashes);
    const end = Math.min(count, (position + 1) * tileHashes - size);
    parts.push({ position, entries: entries.subarray(at * entryBytes, end * entryBytes) });
    at = end;
  }
  const { bytes, starts, lengths } = joinedParts(parts.map((part) => bundled(part.entries)));
  const ranges = parts.map((part) => rangesOf(entriesOf(part.entries)));
  await query(upsertBundles, [
    ...[orgId, bytes, starts, lengths, parts.map(({ position }) => position)],
    ranges.map(({ firstAudit }) => firstAudit),
    ranges.map(({ idsFrom }) => idsFrom),
    ranges.map(({ idsTo }) => idsTo),
  ]);
}
