import type { Database } from "#server/db/index.ts";
import { limits } from "#server/platform/limits.ts";
import type { Log } from "#server/platform/log.ts";
import { keyIdOf, type Sealer, sealedPrefix } from "#server/platform/sealing.ts";
import { type SealedColumn, sealedColumns, textOf } from "./sealed-columns.ts";

export interface ResealDeps {
  readonly database: Database;
  readonly sealer: Sealer;
  readonly log: Log;
}

/** Progress of the re-encryption. */
interface Progress {
  moved: number;
  /** Changed by others meanwhile, so they must be checked again. */
  missed: number;
  /** Texts that no available key can decrypt. */
  readonly unreadable: Set<string>;
}

/** This many first characters identify an encrypted text, because they contain a random number and a random key. */
const beginning = 60;

interface Row {
  readonly key: Readonly<Record<string, unknown>>;
  readonly row_id: string;
  readonly org_id: string;
  /** Null if it is encrypted with the current key. */
  readonly sealed: string | null;
}

const columnsOf = ({ key }: SealedColumn): string[] => Object.keys(key).map((name) => `t.${name}`);

/** One page in the order of the key, after the given row. */
function pageStatement(of: SealedColumn, first: boolean): string {
  const { table, key, rowId, orgId, join = "" } = of;
  const text = textOf(of);
  const named = Object.keys(key).map((name) => `'${name}', t.${name}`);
  const after = Object.values(key).map((type, at) => `$${at + 3}::${type}`);
  return `
    select jsonb_build_object(${named}) as key, (${rowId})::text as row_id, (${orgId})::text as org_id,
      case when left(${text}, length($1)) <> $1 then ${text} end as sealed
    from ${table} as t ${join}
    where ${text} is not null ${first ? "" : `and (${columnsOf(of)}) > (${after})`}
    order by ${columnsOf(of)} limit $2`;
}

/** Replaces texts that have not changed since they were read. Locked rows are skipped until the next run. */
function replaceStatement(of: SealedColumn): string {
  const { table, column, key, part } = of;
  const names = Object.keys(key);
  const given = Object.entries(key).map(([name, type]) => `${name} ${type}`);
  const same = (one: string, other: string) =>
    names.map((name) => `${one}.${name} = ${other}.${name}`).join(" and ");
  return `
    with given as (select * from json_to_recordset($1::json) as given (${given}, was text, key_id text, sealed text)),
    held as (
      select ${names.map((name) => `t.${name}`)}, given.sealed, given.key_id from ${table} as t join given on ${same("t", "given")}
      where left(${textOf(of)}, ${beginning}) = given.was for update of t skip locked
    )
    update ${table} as t set ${column} = ${part?.column ?? "held.sealed"} from held where ${same("t", "held")}
    returning held.key_id`;
}

/** Records in the same transaction how many texts were moved from a key. */
const recordMoved = `
  insert into sealing_key (id, moved) select * from json_to_recordset($1::json) as given (id text, moved int)
  on conflict (id) do update set moved = sealing_key.moved + excluded.moved`;

/** The texts of a page, encrypted with the current key. Unreadable ones are counted and skipped. */
function sealedAnew({ sealer, log }: ResealDeps, of: SealedColumn, page: readonly Row[], progress: Progress) {
  const { table, column } = of;
  return page.flatMap(({ key, row_id: rowId, org_id: orgId, sealed }) => {
    if (sealed === null) return [];
    const place = { table, column, rowId, orgId };
    const from = { was: sealed.slice(0, beginning), key_id: keyIdOf(sealed) };
    try {
      return [{ ...key, ...from, sealed: sealer.seal(sealer.open(sealed, place), place) }];
    } catch (error) {
      const name = `${table}.${column} of ${rowId}`;
      if (!progress.unreadable.has(name))
        log.error({ event: "sealing", error }, `${name} cannot be read with any key`);
      progress.unreadable.add(name);
      return [];
    }
  });
}

async function resealColumn(
  deps: ResealDeps,
  of: SealedColumn,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  const { database, sealer } = deps;
  const { portionRows } = limits.sealing;
  let last: readonly unknown[] | null = null;
  while (!signal.aborted) {
    const from: unknown[] = [sealedPrefix(sealer.keyIds[0]), portionRows, ...(last ?? [])];
    const page: Row[] = await database.batch(async (client) => {
      const { rows } = await client.query<Row>(pageStatement(of, last === null), from);
      const changes = sealedAnew(deps, of, rows, progress);
      if (changes.length === 0) return rows;
      const given = [JSON.stringify(changes)];
      const { rows: replaced } = await client.query<{ key_id: string }>(replaceStatement(of), given);
      const moved = [...Map.groupBy(replaced, ({ key_id }) => key_id)];
      const counts = moved.map(([id, own]) => ({ id, moved: own.length }));
      await client.query(recordMoved, [JSON.stringify(counts)]);
      progress.moved += replaced.length;
      progress.missed += changes.length - replaced.length;
      return rows;
    });
    const end = page.at(-1);
    if (page.length < portionRows || !end) return;
    last = Object.keys(of.key).map((name) => end.key[name]);
  }
}

/**
 * Encrypts everything with the current key that is encrypted with an earlier one, in batches, while the installation
 * runs. It can be interrupted and continued at any time. False if it is not finished.
 */
export async function resealAll(
  deps: ResealDeps,
  signal: AbortSignal,
): Promise<{ finished: boolean; moved: number; unreadable: number }> {
  const progress: Progress = { moved: 0, missed: 0, unreadable: new Set() };
  for (const column of sealedColumns) await resealColumn(deps, column, progress, signal);
  const finished = !signal.aborted && progress.missed === 0;
  return { finished, moved: progress.moved, unreadable: progress.unreadable.size };
}
