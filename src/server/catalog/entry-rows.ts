import { z } from "zod";
import {
  type CatalogueEntry,
  type CatalogueLayer,
  EntryScope,
  EntrySection,
} from "#contract/catalogue-entry.ts";
import type { Prisma } from "#generated/prisma/client.ts";
import { readColumns, readRow } from "#server/db/index.ts";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import type { BuiltCatalogue } from "./build.ts";
import { bringsAddress, type EntryRow, type LayerRows } from "./overlay.ts";

export const columns = {
  id: true,
  org_id: true,
  scope: true,
  section: true,
  name: true,
  body: true,
  enabled: true,
  source: true,
  as_of: true,
  created_at: true,
  updated_at: true,
} as const satisfies Prisma.catalogue_entrySelect;
export type Row = Prisma.catalogue_entryGetPayload<{ select: typeof columns }>;

const Body = z.record(z.string(), z.json());

/** An entry that cannot be read is shown as one of a model without fields, and is not used. */
export const storedEntry = (row: Pick<Row, "scope" | "section" | "body">) =>
  readColumns(row, {
    scope: [EntryScope, "organisation"],
    section: [EntrySection, "model"],
    body: [Body, {}],
  });

/** An entry as it is laid over a catalogue; throws if it cannot be read. */
export function entryOf(row: Row): EntryRow {
  const { section, body, problem } = storedEntry(row);
  if (problem !== null) throw new Error(problem);
  return {
    id: row.id,
    section,
    name: row.name,
    body,
    enabled: row.enabled,
    source: row.source,
    asOf: row.as_of,
  };
}

/** The layers of the database. */
export interface EntryLayers {
  readonly installation: LayerRows;
  /** Undefined for an organisation without entries. */
  readonly of: (orgId: string) => LayerRows | undefined;
}

/** The layer of an organisation, or with null that of the installation. `version` is equal for equal rows. */
export const layerOf = (orgId: string | null, rows: readonly EntryRow[], version: string): LayerRows => ({
  scope: orgId === null ? "installation" : "organisation",
  orgId,
  version,
  rows,
});

type Sized = Pick<Row, "body" | "source">;
const bytesOf = (rows: readonly Sized[]): number =>
  rows.reduce((sum, { body, source }) => sum + Buffer.byteLength(JSON.stringify([body, source])), 0);

/** Throws CONFLICT if a change makes a layer larger than it may be. One that was too large before can get smaller. */
export function assertRoom(scope: EntryScope, before: readonly Sized[], after: readonly Sized[]): void {
  const max = limits.catalogue.layerBytesMax[scope];
  const bytes = bytesOf(after);
  if (bytes <= max || bytes <= bytesOf(before)) return;
  const owner = scope === "installation" ? "the installation" : "an organisation";
  throw new AppError(
    "CONFLICT",
    `All entries of ${owner} together may take ${max} bytes, and these would be ${bytes}; shorten or delete some`,
  );
}

/** Entries in the order in which they were added. */
/** For people: what was added together begins with the provider. */
export const newestFirst = [
  { created_at: "desc" },
  { section: "desc" },
  { name: "asc" },
  { id: "desc" },
] as const;
export const oldestFirst = [{ created_at: "asc" }, { id: "asc" }] as const;

/** What the audit log records of an entry. */
export function recorded(row: Row) {
  const { scope, section, body } = storedEntry(row);
  return {
    id: row.id,
    scope,
    section,
    name: row.name,
    entry: body,
    enabled: row.enabled,
    source: row.source,
    as_of: row.as_of,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

const mapOf = { provider: "providers", model: "models", endpoint: "endpoints" } as const;

/** The layer whose entry of this name an entry changes; null if it adds one. */
function overriddenLayer(row: Row, entry: EntryRow, below: BuiltCatalogue): CatalogueLayer | null {
  if (row.scope === "organisation" && bringsAddress(entry)) return null;
  const lower = below.merged[mapOf[entry.section]].get(row.name);
  return lower ? (lower.origin.overrides.at(-1)?.layer ?? lower.origin.layer) : null;
}

/** `below`: the catalogue under the entry's layer; `problems` are those of its own layer. */
export function toWire(
  row: Row,
  below: BuiltCatalogue,
  problems: ReadonlyMap<string, string>,
): CatalogueEntry {
  const { created_at, updated_at, ...shown } = recorded(row);
  const { value: entry, problem } = readRow(() => entryOf(row));
  return {
    ...shown,
    overrides: entry && overriddenLayer(row, entry, below),
    problem: problems.get(row.id) ?? problem,
    created_at,
    updated_at,
  };
}
