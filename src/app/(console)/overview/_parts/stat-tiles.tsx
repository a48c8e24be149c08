import { Paper, SimpleGrid, Text } from "@mantine/core";
import type { Overview } from "#contract/overview.ts";
import { formatCount, formatEur, formatEurShort, formatShare } from "../../../_lib/format.ts";
import { tileColumns, tileHeight } from "./sizes.ts";
import classes from "./stat-tiles.module.css";

interface TileProps {
  readonly label: string;
  readonly value: string;
  readonly note: string;
  /** The exact value when the shown one is rounded. */
  readonly exact?: string;
}

/** Characters that fit a tile at full size; a longer value is set smaller rather than cut. */
const longValue = 9;

function Tile({ label, value, note, exact }: TileProps) {
  return (
    <Paper withBorder p="md" mih={tileHeight} bg="var(--console-surface)">
      <dt>
        <Text size="sm" c="dimmed">
          {label}
        </Text>
      </dt>
      <dd style={{ margin: 0 }}>
        <Text
          fz={value.length > longValue ? { base: 16, sm: 19 } : { base: 20, sm: 26 }}
          fw={650}
          lh="32px"
          title={exact}
        >
          {value}
        </Text>
        <Text size="xs" c="dimmed">
          {note}
        </Text>
      </dd>
    </Paper>
  );
}

/** Today's sums and what is left to spend. */
export function StatTiles({ totals, credit }: Pick<Overview, "totals" | "credit">) {
  const { requests, errors, tokens_in, tokens_out, cost_eur, error_rate } = totals;
  return (
    <SimpleGrid component="dl" className={classes.tiles} cols={tileColumns} spacing="md" m={0}>
      <Tile label="Requests" value={formatCount(requests)} note="today" />
      <Tile
        label="Tokens"
        value={formatCount(tokens_in + tokens_out)}
        note={`${formatCount(tokens_in)} in, ${formatCount(tokens_out)} out`}
      />
      <Tile label="Cost" value={formatEurShort(cost_eur)} exact={formatEur(cost_eur)} note="today, in EUR" />
      <Tile
        label="Error rate"
        value={requests === 0 ? "–" : formatShare(error_rate)}
        note={requests === 0 ? "no requests yet" : `${formatCount(errors)} of ${formatCount(requests)}`}
      />
      <Tile
        label="Credit"
        value={formatEurShort(credit.balance_eur)}
        exact={formatEur(credit.balance_eur)}
        note="left to spend"
      />
    </SimpleGrid>
  );
}
