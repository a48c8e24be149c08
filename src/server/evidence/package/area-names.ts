import type { TransferArea } from "#contract/data-flows.ts";

const areaNames: Record<TransferArea, string> = {
  eu: "EU",
  eea: "EEA",
  adequate: "country with an adequacy decision (GDPR Art. 45)",
  third_country: "third country without an adequacy decision",
  unknown: "unknown",
};
/** An area of GDPR Chapter V in words. */
export const areaName = (area: string): string => areaNames[area as TransferArea] ?? area;
