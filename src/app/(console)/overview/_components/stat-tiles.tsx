import { SimpleGrid } from "@mantine/core";
import {
  formatCount,
  formatDay,
  formatDuration,
  formatEur,
  formatEurShort,
  formatShare,
  formatUsdShort,
} from "#app/_lib/format.ts";
import { useMay } from "#app/_lib/use-may.ts";
import type { Overview } from "#contract/overview.ts";
import { BudgetTile } from "./budget-tile.tsx";
import { changeText } from "./change.ts";
import { tileColumns } from "./sizes.ts";
import { Tile } from "./tile.tsx";

/** Parts of a note, joined. */
const noteOf = (...parts: readonly (string | null)[]): string =>
  parts.filter((part) => part !== null).join(" · ");

interface StatTilesProps extends Pick<Overview, "totals" | "previous" | "credit" | "refused"> {
  readonly range: string;
}

/** The sums of the range, compared with the one before, and what is left to spend. */
export function StatTiles({ totals, previous, credit, refused, range }: StatTilesProps) {
  const { requests, failed, cancelled, interrupted, tokens_in, tokens_out } = totals;
  const { cost_eur, cost_usd, error_rate, duration_ms, first_content_ms, fallbacks, fallback_rate } = totals;
  const mayReadBudgets = useMay("workspaces:read");
  const early = cancelled + interrupted;
  const stopped = early === 0 ? "" : `, ${formatCount(early)} stopped early`;
  return (
    <SimpleGrid component="dl" cols={tileColumns} spacing="md" m={0}>
      <Tile
        label="Requests"
        value={formatCount(requests)}
        note={noteOf(
          `${formatCount(requests - failed - cancelled - interrupted)} completed`,
          changeText(requests, previous.requests),
        )}
        href={`/logs?range=${range}`}
      />
      <Tile
        label="Spend"
        value={formatEurShort(cost_eur)}
        exact={formatEur(cost_eur)}
        note={noteOf(
          `${formatUsdShort(cost_usd)} in USD`,
          changeText(Number(cost_eur), Number(previous.cost_eur)),
        )}
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
        label="Fallback rate"
        value={fallback_rate === null ? "–" : formatShare(fallback_rate)}
        note={
          fallback_rate === null
            ? "no requests yet"
            : `${formatCount(fallbacks)} ${fallbacks === 1 ? "request needed" : "requests needed"} another endpoint`
        }
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
        href="/usage"
      />
      {mayReadBudgets && <BudgetTile />}
    </SimpleGrid>
  );
}
