import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CatalogueFile } from "#contract/catalogue.ts";

/** The catalogue file that a release contains. */
export const shippedDocument = readFileSync(
  join(import.meta.dirname, "../prisma/seed/catalogue.json"),
  "utf8",
);

/** The same as data, which a test may change. */
export const shippedCatalogue = (): CatalogueFile => CatalogueFile.parse(JSON.parse(shippedDocument));
