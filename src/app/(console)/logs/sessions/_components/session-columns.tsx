import { Box } from "@mantine/core";
import { formatCount, formatDuration } from "#app/_lib/format.ts";
import type { Column } from "#app/_ui/data-table.tsx";
import { Eur } from "#app/_ui/money.tsx";
import { RelativeTime } from "#app/_ui/relative-time.tsx";
import { Status } from "#app/_ui/status.tsx";
import { TitleCell } from "#app/_ui/title-cell.tsx";
import type { SessionLine } from "#contract/session-list.ts";

interface Shown {
  readonly nowMs: number;
  readonly nameOfKey: (id: string) => string;
}

/** How many of the models of a session are named. */
const modelsShown = 2;

function modelsText(models: SessionLine["models"]): string {
  const named = models.slice(0, modelsShown).join(", ");
  return models.length > modelsShown ? `${named} and ${models.length - modelsShown} more` : named;
}

/** The columns of the list of sessions. The first one opens the requests of a session. */
export const sessionColumns = ({ nowMs, nameOfKey }: Shown): readonly Column<SessionLine>[] => [
  {
    id: "session",
    header: "Session",
    cell: ({ session_id, models, last_at }) => (
      <>
        <TitleCell title={session_id} detail={modelsText(models)} />
        <Box component="span" hiddenFrom="sm">
          <RelativeTime iso={last_at} nowMs={nowMs} />
        </Box>
      </>
    ),
  },
  {
    id: "last",
    header: "Last request",
    visibleFrom: "sm",
    cell: ({ last_at }) => <RelativeTime iso={last_at} nowMs={nowMs} />,
  },
  {
    id: "span",
    header: "Span",
    align: "right",
    visibleFrom: "md",
    cell: ({ first_at, last_at }) => formatDuration(Date.parse(last_at) - Date.parse(first_at)),
  },
  {
    id: "requests",
    header: "Requests",
    align: "right",
    cell: ({ requests, failed, has_more }) => (
      <>
        {has_more ? (
          <span title="The newest requests of the session; the other columns are about them">
            {formatCount(requests)}+
          </span>
        ) : (
          formatCount(requests)
        )}
        {failed > 0 && (
          <>
            {" "}
            <Status tone="bad">{formatCount(failed)} failed</Status>
          </>
        )}
      </>
    ),
  },
  { id: "key", header: "Key", visibleFrom: "md", cell: ({ api_key_id }) => nameOfKey(api_key_id) },
  { id: "app", header: "App", visibleFrom: "md", cell: ({ app_title }) => app_title ?? "–" },
  {
    id: "user",
    header: "End user",
    visibleFrom: "md",
    cell: ({ user_reference }) => user_reference ?? "–",
  },
  {
    id: "tokens",
    header: "Tokens in / out",
    align: "right",
    visibleFrom: "md",
    cell: ({ tokens_in, tokens_out }) => `${formatCount(tokens_in)} / ${formatCount(tokens_out)}`,
  },
  {
    id: "cost",
    header: "Cost",
    align: "right",
    visibleFrom: "sm",
    cell: ({ cost_eur }) => <Eur value={cost_eur} />,
  },
];
