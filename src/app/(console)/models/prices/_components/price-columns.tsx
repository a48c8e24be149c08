import { Text } from "@mantine/core";
import { formatAbsolute, formatEurShort } from "#app/_lib/format.ts";
import type { Column } from "#app/_ui/data-table.tsx";
import { Sources } from "#app/_ui/sources.tsx";
import { Status } from "#app/_ui/status.tsx";
import type { PriceVersion } from "#contract/price-book.ts";
import { changeText, figureLabel, inCurrency, pricedFigures } from "./figures.ts";

const origins = { catalogue: "Catalogue", price_book: "Imported" } as const;

/** `versions` are sorted newest first, so the next one is the earlier price. */
export const columnsOf = (versions: readonly PriceVersion[], nowMs: number): Column<PriceVersion>[] => [
  {
    id: "time",
    header: "Valid",
    cell: ({ valid_from, valid_until, current, problem }) => (
      <>
        <Text size="sm" fw={500}>
          {valid_from === null ? "Initial price" : `From ${formatAbsolute(valid_from)}`}
        </Text>
        {valid_until && (
          <Text size="xs" c="dimmed">
            until {formatAbsolute(valid_until)}
          </Text>
        )}
        {current && <Status tone="good">Current</Status>}
        {problem !== null && <Status tone="bad">Ignored</Status>}
        {problem === null && valid_from !== null && Date.parse(valid_from) > nowMs && (
          <Status tone="neutral">Scheduled</Status>
        )}
      </>
    ),
  },
  { id: "price", header: "Price", cell: (version) => <Figures version={version} /> },
  {
    id: "changes",
    header: "Changes",
    visibleFrom: "sm",
    cell: (version) => {
      const earlier = versions.slice(versions.indexOf(version) + 1).find(({ problem }) => problem === null);
      if (!earlier || version.problem !== null) return "–";
      if (version.changes.length === 0) return "None";
      return version.changes.map((change) => (
        <Text key={change.figure} size="sm">
          {changeText(change, version.currency, earlier.currency)}
        </Text>
      ));
    },
  },
  {
    id: "source",
    header: "Source",
    visibleFrom: "md",
    cell: ({ origin, sources, as_of }) => (
      <>
        <Text size="sm">{origins[origin]}</Text>
        <Sources sources={sources} asOf={as_of} />
      </>
    ),
  },
];

function Figures({ version }: { version: PriceVersion }) {
  const { currency, eur, tiers, problem } = version;
  const figures = pricedFigures(version);
  if (problem !== null) return `Cannot be read: ${problem}`;
  if (currency === null) return "No price";
  return (
    <>
      {figures.length === 0 && "Free"}
      {figures.map((figure) => (
        <Text key={figure} size="sm">
          {figureLabel(figure)} {inCurrency(version[figure] ?? "0", currency)}
          {currency !== "EUR" && (
            <Text span size="xs" c="dimmed">
              {" "}
              {formatEurShort(eur?.[figure] ?? "0")}
            </Text>
          )}
        </Text>
      ))}
      {tiers.map(({ above_input_tokens: above, input, output }) => (
        <Text key={above} size="xs" c="dimmed">
          Above {above.toLocaleString("en-GB")} tokens: {inCurrency(input, currency)} and{" "}
          {inCurrency(output, currency)}
        </Text>
      ))}
    </>
  );
}
