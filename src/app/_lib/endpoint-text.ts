import type { EndpointWords } from "#contract/endpoint-words.ts";
import { formatEurShort, formatUsdShort } from "./format.ts";

/** `€0.15 / €0.60`: a million input and output tokens. */
export function priceText({ price }: Pick<EndpointWords, "price">): string {
  if (!price) return "–";
  const format = price.currency === "EUR" ? formatEurShort : formatUsdShort;
  return `${format(price.input)} / ${format(price.output)}`;
}

/** `France · €0.15 / €0.60 · retention: not stored`. */
export const endpointText = (words: EndpointWords): string =>
  [words.place, words.price && priceText(words), `retention: ${words.retention}`].filter(Boolean).join(" · ");
