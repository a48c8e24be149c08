import { formatDay, formatEur, formatEurShort } from "#app/_lib/format.ts";
import type { ChartData } from "#app/_ui/chart-data.ts";
import type { PriceVersion } from "#contract/price-book.ts";
import { figureLabel, pricedFigures } from "./figures.ts";

/** Distinct in light and dark and for most kinds of colour blindness. */
const colours = ["sea.6", "orange.6", "grape.6", "lime.7"] as const;

export const beginText = ({ valid_from }: PriceVersion): string =>
  valid_from === null ? "Initial" : formatDay(valid_from.slice(0, 10));

/** Prices in euros from the first to the last; `versions` come with the newest first. */
export function priceChart(versions: readonly PriceVersion[]): ChartData {
  const inOrder = versions.toReversed();
  const figures = [...new Set(inOrder.flatMap((version) => pricedFigures(version)))].slice(0, colours.length);
  return {
    axis: "From",
    labels: inOrder.map(beginText),
    sideBySide: true,
    fractions: true,
    format: (value) => formatEurShort(value.toFixed(12)),
    series: figures.map((figure, index) => ({
      name: figure,
      label: figureLabel(figure),
      color: colours[index] ?? colours[0],
      values: inOrder.map(({ eur }) => Number(eur?.[figure] ?? 0)),
      texts: inOrder.map(({ eur }) => formatEur(eur?.[figure] ?? "0")),
    })),
  };
}
