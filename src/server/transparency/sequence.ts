import type pg from "pg";
import type { Database } from "#server/db/index.ts";
import { limits } from "#server/platform/limits.ts";
import { isSigned, signCheckpoint } from "./checkpoint.ts";
import { type AuditRow, entriesOfPending, entryBytes, entryOf, pendingBytes } from "./entry.ts";
import type { LogSigner } from "./note.ts";
import { type Query, readTiles, type StoredTree, writeEntries, writeTiles } from "./stored-tree.ts";
import { appendLeaves, DamagedTree, edgeOf, rootOfEdge, tileOf } from "./tiles.ts";
import { leafHashes } from "./tree.ts";

export interface SequenceDeps {
  readonly database: Database;
  readonly signer: LogSigner;
  /** The origin of a log that does not exist yet. */
  readonly originOf: (orgId: string) => string;
}

/**
 * The result for a log. `signed`: its checkpoint covers all rows. `more`: of some of them. `busy`: another process is
 * appending. `changed`: its stored tree is not the one that was signed, so nothing was appended.
 */
export type Sequenced = "signed" | "more" | "busy" | "changed";

const insertTree = `
  insert into log_tree (org_id, origin) values ($1::uuid, $2) on conflict (org_id) do nothing`;
const lockTree = `
  select origin, size::float8 as size, audit_position, checkpoint, signed_with
  from log_tree where org_id = $1::uuid for update skip locked`;

const selectNew = `
  select org_id, position, previous_hash, occurred_at, actor_type, actor_id, action, subject_type, subject_id,
    request_id, ip_address, before, after
  from audit_entry where org_id = $1::uuid and position > $2 order by position, id limit $3`;

/** Removes the oldest booked generations, some batches of them together, and returns them. */
const takePending = `
  with waiting as (
    select id, entries, sum(length(entries)) over (order by id) - length(entries) as bytes_before
    from (select id, entries from log_pending where org_id = $1::uuid order by id limit $2) as oldest
  ), taken as (
    delete from log_pending using waiting
    where log_pending.org_id = $1::uuid and log_pending.id = waiting.id and bytes_before < $3::int
    returning log_pending.id, log_pending.entries
  )
  select string_agg(entries, ''::bytea order by id) as entries from taken`;

/** Takes generations that are booked and not in the log, as in `log_pending`. */
async function takeGenerations(query: Query, orgId: string): Promise<Buffer> {
  const { generationsPerCheckpoint, batchesPerCheckpointMax } = limits.transparency;
  const [taken] = await query<{ entries: Buffer | null }>(takePending, [
    orgId,
    batchesPerCheckpointMax,
    generationsPerCheckpoint * pendingBytes,
  ]);
  return entriesOfPending(taken?.entries ?? Buffer.alloc(0));
}

const updateTree = `
  update log_tree set size = $2, audit_position = $3, checkpoint = $4, signed_with = $5, signed_at = now()
  where org_id = $1::uuid`;

/** Appends entries to a tree and returns the checkpoint of the longer one. Throws `DamagedTree` if it was not signed. */
async function extend(
  query: Query,
  { orgId, tree, entries }: { orgId: string; tree: StoredTree; entries: Buffer },
  signer: LogSigner,
): Promise<string> {
  const { origin, size, checkpoint } = tree;
  const keys = signer.keysOf(origin);
  const edge = size === 0 ? [] : await readTiles(query, orgId, edgeOf(size));
  const isOurs =
    checkpoint === ""
      ? size === 0
      : isSigned(checkpoint, { origin, size, root: await rootOfEdge(size, edge) }, keys);
  if (!isOurs) throw new DamagedTree("The stored tree is not the one that was signed");
  const changed = appendLeaves(size, edge, leafHashes(entries, entryBytes));
  const newSize = size + entries.length / entryBytes;
  const tiles = [...changed, ...edge.filter((old) => !tileOf(changed, old))];
  const root = await rootOfEdge(newSize, tiles);
  await writeTiles(query, orgId, changed);
  await writeEntries(query, orgId, size, entries);
  return signCheckpoint({ origin, size: newSize, root }, keys);
}

async function sequenceIn(
  client: pg.ClientBase,
  orgId: string,
  { signer, originOf }: SequenceDeps,
): Promise<Sequenced> {
  const query: Query = async <Row extends pg.QueryResultRow>(text: string, values: unknown[]) =>
    (await client.query<Row>(text, values)).rows;
  await query(insertTree, [orgId, originOf(orgId)]);
  const [tree] = await query<StoredTree & pg.QueryResultRow>(lockTree, [orgId]);
  if (!tree) return "busy";
  const { rowsPerCheckpointMax, generationsPerCheckpoint } = limits.transparency;
  const rows = await query<AuditRow & pg.QueryResultRow>(selectNew, [
    orgId,
    tree.audit_position,
    rowsPerCheckpointMax,
  ]);
  const generations = await takeGenerations(query, orgId);
  const entries = Buffer.concat([...rows.map(entryOf), generations]);
  if (entries.length === 0 && tree.signed_with === signer.id) return "signed";
  const checkpoint = await extend(query, { orgId, tree, entries }, signer);
  const last = rows.at(-1)?.position ?? tree.audit_position;
  const size = tree.size + entries.length / entryBytes;
  await query(updateTree, [orgId, size, last, checkpoint, signer.id]);
  const isFull =
    rows.length === rowsPerCheckpointMax || generations.length >= generationsPerCheckpoint * entryBytes;
  return isFull ? "more" : "signed";
}

/**
 * Appends new rows of an organisation's audit log and booked generations to its transparency log, and signs the new
 * checkpoint. One process at
 * a time does so for each log.
 */
export const sequence = (deps: SequenceDeps, orgId: string): Promise<Sequenced> =>
  deps.database
    .batch((client) => sequenceIn(client, orgId, deps))
    .catch((error: unknown) => {
      if (error instanceof DamagedTree) return "changed";
      throw error;
    });
