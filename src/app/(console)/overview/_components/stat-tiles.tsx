import { Anchor, Paper, SimpleGrid, Text } from "@mantine/core";
import Link from "next/link";
import {
  formatCount,
  formatDay,
  formatDuration,
  formatEur,
  formatEurShort,
  formatShare,
  formatUsdShort,
} from "#app/_lib/format.ts";
import type { Overview } from "#contract/overview.ts";
import { tileColumns, tileHeight } from "./sizes.ts";

interface TileProps {
  readonly label: string;
  readonly value: string;
  readonly note: string;
  /** The exact value when the shown one is rounded, or more about it. */
  readonly exact?: string;
  /** Where the requests are that it counts. */
  readonly href?: string;
}

/** Characters that fit a tile at full size; a longer value is set smaller rather than cut. */
const longValue = 9;

function Tile({ label, value, note, exact, href }: TileProps) {
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
          {href ? (
            <Anchor component={Link} href={href} inherit c="inherit" aria-label={`${label}: ${value}`}>
              {value}
            </Anchor>
          ) : (
            value
          )}
        </Text>
        <Text size="xs" c="dimmed">
          {note}
        </Text>
      </dd>
    </Paper>
  );
}

interface StatTilesProps extends Pick<Overview, "totals" | "credit" | "refused"> {
  readonly range: string;
}

/** The sums of the range and what is left to spend. */
export function StatTiles({ totals, credit, refused, range }: StatTilesProps) {
  const { requests, failed, cancelled, interrupted, tokens_in, tokens_out } = totals;
  const { cost_eur, cost_usd, error_rate, duration_ms, first_content_ms } = totals;
  const early = cancelled + interrupted;
  const stopped = early === 0 ? "" : `, ${formatCount(early)} stopped early`;
  return (
    <SimpleGrid component="dl" cols={tileColumns} spacing="md" m={0}>
      <Tile
        label="Requests"
        value={formatCount(requests)}
        note={`${formatCount(requests - failed - cancelled - interrupted)} completed`}
        href={`/logs?range=${range}`}
      />
      <Tile
        label="Spend"
        value={formatEurShort(cost_eur)}
        exact={formatEur(cost_eur)}
        note={`${formatUsdShort(cost_usd)} in USD`}
      />
      <Tile
        label="Tokens"
        value={formatCount(tokens_in + tokens_out)}
        note={`${formatCount(tokens_in)} in, ${formatCount(tokens_out)} out`}
      />
      <Tile
        label="Error rate"
        value={requests === 0 ? "–" : formatShare(error_rate)}
        note={
          requests === 0 ? "no requests yet" : `${formatCount(failed)} of ${formatCount(requests)}${stopped}`
        }
        exact={`Stopped early: ${formatCount(cancelled)} by the client, ${formatCount(interrupted)} by the server`}
        href={`/logs?range=${range}&status=failed`}
      />
      <Tile
        label="Refused"
        value={formatCount(refused.count)}
        note={`since ${formatDay(refused.since.slice(0, 10))} (UTC)`}
        href="/logs/refused"
      />
      <Tile
        label="Duration, median"
        value={duration_ms ? formatDuration(duration_ms.p50) : "–"}
        note={
          duration_ms
            ? `p95 ${formatDuration(duration_ms.p95)}, p99 ${formatDuration(duration_ms.p99)}`
            : "no completed requests"
        }
      />
      <Tile
        label="Time to first token"
        value={first_content_ms ? formatDuration(first_content_ms.p50) : "–"}
        note={
          first_content_ms ? `streams only, p95 ${formatDuration(first_content_ms.p95)}` : "no streams yet"
        }
      />
      <Tile
        label="Credit"
        value={formatEurShort(credit.balance_eur)}
        exact={formatEur(credit.balance_eur)}
        note="available"
      />
    </SimpleGrid>
  );
}
