/** What a cost consists of, in the order in which `cost_parts` lists them. */
const names = ["uncached_prompt", "cache_read", "cache_write", "completion", "request"] as const;

export interface CostDetails {
  /** The currency of the price. */
  readonly currency: "USD" | "EUR";
  /** The parts by name, as integers in decimal text, in pico-units of that currency. */
  readonly own: Readonly<Record<string, string>>;
}

/** Reads the column `cost_parts`: the currency, then five parts in USD, and for a price in EUR five more in EUR. */
export function costPartsOf(column: string): CostDetails {
  const [currency, ...parts] = column.split(" ");
  const own = currency === "EUR" ? parts.slice(names.length) : parts;
  return {
    currency: currency === "EUR" ? "EUR" : "USD",
    own: Object.fromEntries(names.map((name, at) => [name, own[at] ?? "0"])),
  };
}
