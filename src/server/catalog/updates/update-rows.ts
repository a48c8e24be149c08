import type { CatalogueUpdate, CatalogueUpdateState } from "#contract/catalogue-update.ts";
import type { Prisma } from "#generated/prisma/client.ts";
import type { BaseCatalogue } from "./base-catalogue.ts";

export const columns = {
  ...{ id: true, source: true, as_of: true, digest: true, version: true },
  ...{ created_at: true, applied_at: true, undone_at: true },
} as const satisfies Prisma.catalogue_updateSelect;
export type Row = Prisma.catalogue_updateGetPayload<{ select: typeof columns }>;

/** The newest updates come first, in the order in which they were applied. */
export const newestFirst = [
  { version: { sort: "desc", nulls: "first" } },
  { created_at: "desc" },
  { id: "desc" },
] as const;

const stateOf = ({ version, undone_at }: Row): CatalogueUpdateState =>
  version === null ? "proposed" : undone_at === null ? "applied" : "undone";

/** What the audit log records of an update. */
export const recorded = (row: Row) => ({
  ...{ id: row.id, state: stateOf(row), source: row.source, as_of: row.as_of, digest: row.digest },
  created_at: row.created_at.toISOString(),
  applied_at: row.applied_at?.toISOString() ?? null,
  undone_at: row.undone_at?.toISOString() ?? null,
});

export const toWire = (row: Row, { updateId, unused }: BaseCatalogue): CatalogueUpdate => ({
  ...recorded(row),
  in_use: updateId === row.id,
  problem: unused?.id === row.id ? unused.problem : null,
});
