import { Group, Text } from "@mantine/core";
import { formatDuration } from "#app/_lib/format.ts";
import type { GenerationDetail } from "#contract/generation.ts";
import classes from "./waterfall.module.css";

interface WaterfallProps {
  readonly tries: GenerationDetail["tries"];
  readonly totalMs: number;
}

/** The attempts one after the other, each with a bar of its duration. */
export function Waterfall({ tries, totalMs }: WaterfallProps) {
  if (tries.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No provider was contacted.
      </Text>
    );
  }
  const bars = tries.map((attempt, index) => ({
    ...attempt,
    startMs: tries.slice(0, index).reduce((sum, { duration_ms }) => sum + duration_ms, 0),
  }));
  const endMs = tries.reduce((sum, { duration_ms }) => sum + duration_ms, 0);
  const scale = 100 / Math.max(totalMs, endMs, 1);
  return (
    <ol className={classes.list}>
      {bars.map(({ endpoint, outcome, status, duration_ms, startMs }) => (
        <li key={`${startMs} ${endpoint} ${outcome}`}>
          <Group justify="space-between" gap="xs" wrap="nowrap">
            <Text size="sm" style={{ overflowWrap: "anywhere" }}>
              {endpoint}
            </Text>
            <Text size="sm" c="dimmed" style={{ whiteSpace: "nowrap" }}>
              {outcome}
              {status !== null && ` · ${status}`} · {formatDuration(Math.round(duration_ms))}
            </Text>
          </Group>
          <div className={classes.track} aria-hidden="true">
            <div
              className={classes.bar}
              data-ok={outcome === "ok" || undefined}
              style={{
                marginInlineStart: `${startMs * scale}%`,
                width: `${duration_ms * scale}%`,
              }}
            />
          </div>
        </li>
      ))}
    </ol>
  );
}
