import { SimpleGrid } from "@mantine/core";
import {
  formatCount,
  formatDay,
  formatDuration,
  formatEur,
  formatEurShort,
  formatRequests,
  formatShare,
  formatUsdShort,
} from "#app/_lib/format.ts";
import { useMay } from "#app/_lib/use-may.ts";
import type { Overview } from "#contract/overview.ts";
import { BudgetTile } from "./budget-tile.tsx";
import { changeText } from "./change.ts";
import { tileColumns } from "./sizes.ts";
import { Tile } from "./tile.tsx";

const noRequests = "no requests yet";

/** Parts of a note, joined. */
const noteOf = (...parts: readonly (string | null)[]): string =>
  parts.filter((part) => part !== null).join(" · ");

interface RangeTilesProps extends Pick<Overview, "totals" | "previous" | "refused"> {
  readonly range: string;
}

/** How much was asked for, what it cost and what went wrong. */
function UseTiles({ totals, previous, refused, range }: RangeTilesProps) {
  const { requests, failed, cancelled, interrupted, tokens_in, tokens_out, cost_eur, cost_usd } = totals;
  const early = cancelled + interrupted;
  const stopped = early === 0 ? "" : `, ${formatCount(early)} stopped early`;
  return (
    <>
      <Tile
        label="Requests"
        value={formatCount(requests)}
        note={noteOf(
          `${formatCount(requests - failed - early)} completed`,
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
        href={`/logs?range=${range}&sort=-cost`}
      />
      <Tile
        label="Tokens"
        value={formatCount(tokens_in + tokens_out)}
        note={`${formatCount(tokens_in)} in, ${formatCount(tokens_out)} out`}
        href={`/logs?range=${range}&sort=-tokens`}
      />
      <Tile
        label="Error rate"
        value={requests === 0 ? "–" : formatShare(totals.error_rate)}
        note={requests === 0 ? noRequests : `${formatCount(failed)} of ${formatCount(requests)}${stopped}`}
        exact={`Stopped early: ${formatCount(cancelled)} by the client, ${formatCount(interrupted)} by the server`}
        href={`/logs?range=${range}&status=failed`}
      />
      <Tile
        label="Refused"
        value={formatCount(refused.count)}
        note={`since ${formatDay(refused.since.slice(0, 10))} (UTC)`}
        href="/logs/refused"
      />
    </>
  );
}

/** How well requests were served. */
function ServiceTiles({ totals, range }: Pick<RangeTilesProps, "totals" | "range">) {
  const { duration_ms, first_content_ms, fallbacks, fallback_rate } = totals;
  return (
    <>
      <Tile
        label="Fallback rate"
        value={fallback_rate === null ? "–" : formatShare(fallback_rate)}
        note={fallback_rate === null ? noRequests : `${formatRequests(fallbacks)} tried another endpoint`}
        href={`/logs?range=${range}&sort=-attempts`}
      />
      <Tile
        label="Duration, median"
        value={duration_ms ? formatDuration(duration_ms.p50) : "–"}
        note={
          duration_ms
            ? `p95 ${formatDuration(duration_ms.p95)}, p99 ${formatDuration(duration_ms.p99)}`
            : "no completed requests"
        }
        href={`/logs?range=${range}&sort=-duration`}
      />
      <Tile
        label="Time to first token"
        value={first_content_ms ? formatDuration(first_content_ms.p50) : "–"}
        note={
          first_content_ms ? `streams only, p95 ${formatDuration(first_content_ms.p95)}` : "no streams yet"
        }
        href={`/logs?range=${range}&sort=-first_token`}
      />
    </>
  );
}

interface StatTilesProps extends RangeTilesProps {
  readonly credit: Overview["credit"];
}

/** The sums of the range, compared with the one before, and what is left to spend. Each leads to its requests. */
export function StatTiles({ credit, ...shown }: StatTilesProps) {
  const mayReadBudgets = useMay("workspaces:read");
  return (
    <SimpleGrid component="dl" cols={tileColumns} spacing="md" m={0}>
      <UseTiles {...shown} />
      <ServiceTiles {...shown} />
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
