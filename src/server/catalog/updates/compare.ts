import type { CatalogueFile } from "#contract/catalogue.ts";
import {
  type CatalogueComparison,
  type CatalogueDifference,
  type CatalogueDifferenceQuery,
  differenceGroups,
} from "#contract/catalogue-update.ts";
import type { Operator } from "#server/accounts/index.ts";
import type { Database, Page, Tx } from "#server/db/index.ts";
import { found } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import type { Outbound } from "#server/platform/outbound.ts";
import type { Catalogues, LaidCatalogue } from "../catalogues.ts";
import type { CatalogueFiles } from "../load.ts";
import type { Catalogue } from "../types.ts";
import { inUse } from "./base-catalogue.ts";
import { differencesOf } from "./differences.ts";
import { newHosts } from "./new-hosts.ts";
import { withOverrider } from "./overrider.ts";
import { catalogueWith } from "./read-document.ts";
import { columns, type Row, toWire } from "./update-rows.ts";

export type Manager = Operator<"billing:write">;

export interface UpdateDeps {
  readonly database: Database;
  readonly catalogues: Catalogues;
  readonly files: CatalogueFiles;
  readonly outbound: Outbound;
}

/** A document in place of the shipped one, with the entries of the installation. */
interface Side {
  readonly id: string | null;
  readonly digest: string;
  readonly document: CatalogueFile;
  readonly laid: LaidCatalogue;
}

/** An update, and the catalogue that it is compared with. */
export interface Compared {
  readonly row: Row;
  /** The newest applied update at that moment. */
  readonly currentId: string | null;
  readonly before: Side;
  readonly after: Side;
  readonly differences: readonly CatalogueDifference[];
}

/** An update of the caller's organisation. Throws NOT_FOUND. */
export const findUpdate = async (tx: Tx, { orgId }: Manager, id: string): Promise<Row> =>
  found(
    await tx.catalogue_update.findFirst({ where: { id, org_id: orgId }, select: columns }),
    "catalogue update",
    "id",
  );

/** The newest applied update; null if there is none. */
export const currentUpdate = (tx: Tx): Promise<{ readonly id: string } | null> =>
  tx.catalogue_update.findFirst({ ...inUse, select: { id: true } });

async function sideOf({ database, catalogues, files }: UpdateDeps, id: string | null): Promise<Side> {
  const row =
    id === null
      ? null
      : await database.prisma.catalogue_update.findUnique({
          where: { id },
          select: { digest: true, document: true },
        });
  if (!row) {
    const { built, document, digest } = files;
    return { id: null, digest, document, laid: catalogues.withBase(built) };
  }
  const { built, document } = catalogueWith(files, row.document, "document");
  return { id, digest: row.digest, document, laid: catalogues.withBase(built) };
}

/** The update before another one, to which undoing leads; null for the shipped document. */
async function previousOf({ prisma }: Database, { version }: Row): Promise<string | null> {
  const where = { version: { lt: version ?? 0 }, undone_at: null };
  const previous = await prisma.catalogue_update.findFirst({ ...inUse, where, select: { id: true } });
  return previous?.id ?? null;
}

/**
 * Compares an update with the catalogue in use, or the one in use with the one before it. Throws NOT_FOUND, and
 * BAD_REQUEST if its document cannot be used any more.
 */
export async function compare(deps: UpdateDeps, caller: Manager, id: string): Promise<Compared> {
  const { database, catalogues } = deps;
  const row = await findUpdate(database.prisma, caller, id);
  const current = await currentUpdate(database.prisma);
  const after = await sideOf(deps, id);
  const unused = catalogues.base().unused?.id;
  const againstId = current?.id === id ? await previousOf(database, row) : (current?.id ?? null);
  const before = await sideOf(deps, againstId === unused ? null : againstId);
  const overriding = { laid: catalogues.laid(null), priced: catalogues.of(null) };
  const differences = differencesOf(before.document, after.document).map((difference) =>
    withOverrider(difference, overriding),
  );
  return { row, currentId: current?.id ?? null, before, after, differences };
}

/** How many differences each group has. */
const countsOf = (differences: readonly CatalogueDifference[]): CatalogueComparison["counts"] =>
  differenceGroups.flatMap((group) => {
    const own = differences.filter((difference) => difference.group === group);
    const count = (change: string) => own.filter((one) => one.change === change).length;
    return own.length === 0
      ? []
      : [{ group, added: count("added"), removed: count("removed"), changed: count("changed") }];
  });

/** Entries of the installation that were used before and are not after. */
function unusedEntries(
  { catalogues }: UpdateDeps,
  { before, after }: Compared,
): CatalogueComparison["unused_entries"] {
  const rows = catalogues.entries();
  return [...after.laid.problems].flatMap(([id, problem]) => {
    const row = rows.find((one) => one.id === id);
    return row && !before.laid.problems.has(id) ? [{ section: row.section, name: row.name, problem }] : [];
  });
}

/** How routing rules see a change of the catalogue. */
export type RulesEffect = (
  before: Catalogue,
  after: Catalogue,
) => Promise<Pick<CatalogueComparison, "rules" | "other_organisations">>;

/** An update with what it would change, or has changed. Throws like `compare`. */
export async function getUpdate(
  deps: UpdateDeps,
  caller: Manager,
  id: string,
  rulesEffect: RulesEffect,
): Promise<CatalogueComparison> {
  const compared = await compare(deps, caller, id);
  const { row, before, after, differences } = compared;
  const [old, now] = [before.laid.catalogue, after.laid.catalogue];
  return {
    ...toWire(row, deps.catalogues.base()),
    compared_with: before.digest,
    counts: countsOf(differences),
    new_hosts: newHosts(old, now),
    unused_entries: unusedEntries(deps, compared),
    ...(await rulesEffect(old, now)),
  };
}

/** The differences of an update. Throws like `compare`. */
export async function listDifferences(
  deps: UpdateDeps,
  caller: Manager,
  { id, group, change, search, limit = limits.lists.rowsMax, offset = 0 }: CatalogueDifferenceQuery,
): Promise<Page<CatalogueDifference>> {
  const { differences } = await compare(deps, caller, id);
  const sought = search?.toLowerCase();
  const matching = differences.filter(
    (one) =>
      (group === undefined || one.group === group) &&
      (change === undefined || one.change === change) &&
      (sought === undefined || `${one.name} ${one.field ?? ""}`.toLowerCase().includes(sought)),
  );
  return { data: matching.slice(offset, offset + limit), total_count: matching.length };
}
