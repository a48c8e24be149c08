import type { CatalogueFile } from "#contract/catalogue.ts";
import type { PrismaClient } from "#generated/prisma/client.ts";
import { SettingsError } from "#server/platform/env.ts";
import type { Log } from "#server/platform/log.ts";
import type { BuiltCatalogue } from "../build.ts";
import type { CatalogueFiles } from "../load.ts";

/** The catalogue under the entries of the database: the shipped document or an update, with `CATALOG_FILE`. */
export interface BaseCatalogue {
  readonly built: BuiltCatalogue;
  /** The update in use; null for the shipped document. */
  readonly updateId: string | null;
  /** The newest applied update, and why it is not in use. */
  readonly unused: { readonly id: string; readonly problem: string } | null;
}

/** The applied update with the highest version is in use. */
export const inUse = {
  where: { version: { not: null }, undone_at: null },
  orderBy: { version: "desc" },
} as const;

/** Why a document is older than the shipped one, which came with a newer release; null if it is not. */
export const outdated = (
  { as_of }: Pick<CatalogueFile, "as_of">,
  { document }: Pick<CatalogueFiles, "document">,
): string | null =>
  as_of < document.as_of
    ? `as_of must be ${document.as_of} or later, the day of the catalogue that this release contains`
    : null;

/** Returns what loads the base of the catalogue. A document never changes, so it is read and built once. */
export function createBaseLoader(
  files: CatalogueFiles,
  log: Log,
): (prisma: PrismaClient) => Promise<BaseCatalogue> {
  const shipped: BaseCatalogue = { built: files.built, updateId: null, unused: null };
  let known: { readonly id: string | null; readonly base: BaseCatalogue } = { id: null, base: shipped };

  function baseFrom(id: string, document: string): BaseCatalogue {
    try {
      const { built, document: parsed } = files.withUpdate(JSON.parse(document));
      const problem = outdated(parsed, files);
      return problem === null
        ? { built, updateId: id, unused: null }
        : { ...shipped, unused: { id, problem } };
    } catch (error) {
      // A release can have other rules than the one that the document was applied with.
      const problems = error instanceof SettingsError ? error.problems : [String(error)];
      return { ...shipped, unused: { id, problem: problems.slice(0, 3).join("; ") } };
    }
  }

  return async (prisma) => {
    const current = await prisma.catalogue_update.findFirst({ ...inUse, select: { id: true } });
    const id = current?.id ?? null;
    if (id === known.id) return known.base;
    const row = id === null ? null : await prisma.catalogue_update.findUnique({ where: { id } });
    const base = row ? baseFrom(row.id, row.document) : shipped;
    if (base.unused) {
      const reason = `${base.unused.id}: ${base.unused.problem}`;
      log.warn({ event: "catalogue", reason }, "A catalogue update is not used");
    }
    known = { id: row?.id ?? null, base };
    return base;
  };
}
