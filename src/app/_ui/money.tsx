import { formatEur, formatEurShort, formatUsd, formatUsdShort } from "../_lib/format.ts";
import classes from "./money.module.css";

const Amount = ({ exact, rounded }: { exact: string; rounded: string }) => (
  <span className={classes.amount} title={exact}>
    {rounded}
  </span>
);

/** An amount, rounded; the exact one appears on hover. */
export const Eur = ({ value }: { value: string }) => (
  <Amount exact={formatEur(value)} rounded={formatEurShort(value)} />
);
export const Usd = ({ value }: { value: string }) => (
  <Amount exact={formatUsd(value)} rounded={formatUsdShort(value)} />
);
