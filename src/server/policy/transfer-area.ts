import type { TransferArea } from "#contract/data-flows.ts";
import { adequateCodes } from "./eu-residency.ts";
import { type Located, perhapsResides, resides } from "./residency.ts";

const areas: readonly (readonly [residency: string, area: TransferArea])[] = [
  ["eu", "eu"],
  ["eea", "eea"],
  ["eu_adequate", "adequate"],
];

/**
 * Where an endpoint runs, by Chapter V of the GDPR: the smallest area that certainly contains all its places. `off`
 * names countries whose adequacy decision the operator does not rely on.
 */
export function transferAreaOf(endpoint: Located, off: ReadonlySet<string>): TransferArea {
  const adequate = adequateCodes(off);
  const certain = areas.find(([residency]) => resides(endpoint, residency, adequate));
  if (certain) return certain[1];
  return perhapsResides(endpoint, "eu_adequate", adequate) ? "unknown" : "third_country";
}
