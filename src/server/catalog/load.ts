import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CatalogueFile } from "#contract/catalogue.ts";
import type { CatalogueLayer } from "#contract/catalogue-entry.ts";
import { clock, isoTime } from "#server/platform/clock.ts";
import { sha256Hex } from "#server/platform/crypto.ts";
import { SettingsError } from "#server/platform/env.ts";
import { type ExchangeRate, exchangeRate } from "#server/platform/money.ts";
import { projectDirectory } from "#server/platform/project.ts";
import { type BuiltCatalogue, buildCatalogue } from "./build.ts";
import type { Kinds } from "./entry-faults.ts";
import type { CatalogueSource } from "./sources.ts";
import type { Catalogue } from "./types.ts";

const seedFolder = join(projectDirectory, "prisma/seed");

export interface LoadOptions {
  /** The supported kinds of providers. */
  readonly kinds: Kinds;
  /** `CATALOG_FILE`: overrides entries of the shipped catalogue. */
  readonly overlayFile?: string | undefined;
  /** Address of the running sandbox; without it the catalogue has no sandbox providers. */
  readonly sandboxOrigin?: string | undefined;
  /** `EUR_USD_RATE`: USD for 1 EUR, instead of the newest rate of the files. */
  readonly exchangeRateOverride?: string | undefined;
}

function readSource(path: string, name: string, layer: CatalogueLayer): CatalogueSource {
  try {
    return { file: name, layer, content: JSON.parse(readFileSync(path, "utf8")) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SettingsError([
      error instanceof SyntaxError ? `${name}: is not JSON: ${reason}` : `${name}: cannot be read: ${reason}`,
    ]);
  }
}

function fixedRate(usdPerEur: string): ExchangeRate {
  try {
    return exchangeRate(usdPerEur, isoTime(clock.nowMs()).slice(0, 10), "operator");
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new SettingsError([`EUR_USD_RATE ${usdPerEur} must be more than 0 with at most 12 decimals`]);
  }
}

/** A document, and the catalogue with it in place of the shipped one. */
export interface DocumentCatalogue {
  readonly built: BuiltCatalogue;
  readonly document: CatalogueFile;
}

/** The catalogue of the files, with the shipped document. */
export interface CatalogueFiles extends DocumentCatalogue {
  /** Of the shipped document. */
  readonly digest: string;
  /** Puts another document in place of the shipped one. Throws `SettingsError` like `buildCatalogue`. */
  readonly withUpdate: (content: unknown) => DocumentCatalogue;
}

/** Reads the shipped catalogue, the sandbox and the operator's file. Throws `SettingsError` like `buildCatalogue`. */
export function loadCatalogueFiles({
  kinds,
  overlayFile,
  sandboxOrigin,
  exchangeRateOverride,
}: LoadOptions): CatalogueFiles {
  const shipped = readSource(join(seedFolder, "catalogue.json"), "catalogue.json", "shipped");
  const sources: CatalogueSource[] = [];
  if (sandboxOrigin) sources.push(readSource(join(seedFolder, "sandbox.json"), "sandbox.json", "shipped"));
  if (overlayFile) sources.push(readSource(overlayFile, overlayFile, "file"));
  const options = {
    kinds,
    sandboxOrigin,
    exchangeRate: exchangeRateOverride === undefined ? undefined : fixedRate(exchangeRateOverride),
  };
  const withDocument = (first: CatalogueSource): DocumentCatalogue => ({
    built: buildCatalogue([first, ...sources], options),
    document: CatalogueFile.parse(first.content),
  });
  return {
    ...withDocument(shipped),
    digest: sha256Hex(JSON.stringify(shipped.content)),
    withUpdate: (content) => withDocument({ file: "document", layer: "update", content }),
  };
}

/** The catalogue of the files, as it is without a database. */
export const loadCatalogue = (options: LoadOptions): Catalogue => loadCatalogueFiles(options).built.catalogue;
