import { Box, Text } from "@mantine/core";
import { formatCount, formatDuration, formatEurShort } from "#app/_lib/format.ts";
import type { Column } from "#app/_ui/data-table.tsx";
import { GenerationStatus } from "#app/_ui/generation-status.tsx";
import { Eur } from "#app/_ui/money.tsx";
import { RelativeTime } from "#app/_ui/relative-time.tsx";
import type { GenerationLine } from "#contract/generation.ts";
import { countryName } from "#contract/places.ts";

interface Shown {
  readonly nowMs: number;
  readonly nameOfKey: (id: string) => string;
}
type LogColumn = Column<GenerationLine>;

const text = (value: string | null) => value ?? "–";
const duration = (ms: number | null) => (ms === null ? "–" : formatDuration(ms));
const number = (id: string, header: string, cell: LogColumn["cell"]): LogColumn => ({
  ...{ id, header, cell, align: "right", visibleFrom: "md", isSortedByServer: true },
});
const words = (id: string, header: string, cell: LogColumn["cell"]): LogColumn => ({
  ...{ id, header, cell, visibleFrom: "md" },
});

/** On a phone: model and provider with the time. */
const model = (nowMs: number): LogColumn => ({
  id: "model",
  header: "Model",
  cell: ({ model: name, provider, attempts, started_at }) => (
    <>
      <Text component="span" size="sm" fw={500} display="block">
        {name}
      </Text>
      <Text component="span" size="xs" c="dimmed" display="block">
        {provider ?? "no provider"}
        {attempts > 1 && ` after ${attempts} attempts`}
      </Text>
      <Box component="span" hiddenFrom="sm">
        <RelativeTime iso={started_at} nowMs={nowMs} />
      </Box>
    </>
  ),
});

/** On a phone: status with the cost. */
const status: LogColumn = {
  id: "status",
  header: "Status",
  cell: ({ status: ended, error_code, cost_eur }) => (
    <>
      <GenerationStatus status={ended} error_code={error_code} />
      {error_code && (
        <Text size="xs" c="dimmed" style={{ overflowWrap: "normal" }}>
          {error_code}
        </Text>
      )}
      <Text size="sm" hiddenFrom="sm">
        {formatEurShort(cost_eur)}
      </Text>
    </>
  ),
};

const tagText = (tags: GenerationLine["tags"]): string =>
  Object.entries(tags)
    .map(([name, value]) => `${name}: ${value}`)
    .join(", ");

/** Every column that the log can show, in its order. The first one opens the request. */
export const logColumns = ({ nowMs, nameOfKey }: Shown): readonly LogColumn[] => [
  model(nowMs),
  {
    id: "time",
    header: "Time",
    visibleFrom: "sm",
    cell: ({ started_at }) => <RelativeTime iso={started_at} nowMs={nowMs} />,
  },
  status,
  words("country", "Country", ({ region }) => (region === null ? "–" : countryName(region))),
  words("key", "Key", ({ api_key_id }) => nameOfKey(api_key_id)),
  words("operation", "Operation", ({ operation }) => operation),
  words("app", "App", ({ app_title }) => text(app_title)),
  words("user", "End user", ({ user_reference }) => text(user_reference)),
  words("session", "Session", ({ session_id }) => text(session_id)),
  words("tags", "Tags", ({ tags }) => tagText(tags) || "–"),
  number("attempts", "Attempts", ({ attempts }) => formatCount(attempts)),
  number(
    "tokens",
    "Tokens in / out",
    ({ tokens_in, tokens_out }) => `${formatCount(tokens_in)} / ${formatCount(tokens_out)}`,
  ),
  { ...number("cost", "Cost", ({ cost_eur }) => <Eur value={cost_eur} />), visibleFrom: "sm" },
  number("first_token", "First token", ({ latency_ms }) => duration(latency_ms)),
  number("duration", "Duration", ({ duration_ms }) => duration(duration_ms)),
];

/** What is shown if nobody chose. */
export const defaultColumns = [
  ...["model", "time", "status", "country", "key", "tokens", "cost", "first_token", "duration"],
] as const;
