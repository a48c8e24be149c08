import { formatEur, formatEurShort, formatUsd, formatUsdShort } from "../_lib/format.ts";

/** An amount, rounded; the exact one appears on hover. */
export const Eur = ({ value }: { value: string }) => (
  <span title={formatEur(value)}>{formatEurShort(value)}</span>
);
export const Usd = ({ value }: { value: string }) => (
  <span title={formatUsd(value)}>{formatUsdShort(value)}</span>
);
