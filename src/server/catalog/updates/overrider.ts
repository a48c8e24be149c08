import type { CatalogueDifference } from "#contract/catalogue-update.ts";
import type { BuiltCatalogue } from "../build.ts";
import type { Catalogue } from "../types.ts";
import type { Difference } from "./differences.ts";

const mapOf = { provider: "providers", model: "models", endpoint: "endpoints" } as const;

/** What is laid over a catalogue file. */
export interface Overriding {
  /** The catalogue with the installation's entries. */
  readonly laid: BuiltCatalogue;
  /** The same with the prices of the price book. */
  readonly priced: Catalogue;
}

/** Adds what keeps its own value, so that the difference has no effect. */
export function withOverrider(difference: Difference, { laid, priced }: Overriding): CatalogueDifference {
  return { ...difference, overridden_by: overriderOf(difference, { laid, priced }) };
}

function overriderOf(
  { section, name, field }: Difference,
  { laid, priced }: Overriding,
): CatalogueDifference["overridden_by"] {
  if (section === "exchange_rate") return null;
  const origin = laid.merged[mapOf[section]].get(name)?.origin;
  if (!origin) return null;
  const isBooked = laid.catalogue.endpoints.get(name)?.price !== priced.endpoints.get(name)?.price;
  if (field === "price" && isBooked) return "price_book";
  if (origin.layer === "installation") return "installation";
  if (field !== null && origin.overrides.some(({ fields }) => fields.includes(field))) return "installation";
  return origin.layer === "file" ? "file" : null;
}
