import { Group, Text } from "@mantine/core";
import { formatDuration } from "#app/_lib/format.ts";
import { attemptText, isGood } from "#contract/attempt-words.ts";
import type { GenerationDetail } from "#contract/generation.ts";
import classes from "./waterfall.module.css";

interface WaterfallProps {
  readonly generation: Pick<GenerationDetail, "tries" | "duration_ms" | "status" | "error_code">;
}

/** The attempts one after the other, each in a sentence with a bar of its duration. */
export function Waterfall({ generation }: WaterfallProps) {
  const { tries, duration_ms: totalMs } = generation;
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
      {bars.map((attempt) => (
        <li key={`${attempt.startMs} ${attempt.endpoint} ${attempt.outcome}`}>
          <Group justify="space-between" align="flex-start" gap="xs" wrap="nowrap">
            <Text size="sm" style={{ overflowWrap: "anywhere" }}>
              {attempt.endpoint}{" "}
              <Text span c="dimmed">
                {attemptText(attempt, generation)}
              </Text>
            </Text>
            <Text size="sm" c="dimmed" style={{ whiteSpace: "nowrap" }}>
              {formatDuration(Math.round(attempt.duration_ms))}
            </Text>
          </Group>
          <div className={classes.track} aria-hidden="true">
            <div
              className={classes.bar}
              data-ok={isGood(attempt, generation) || undefined}
              style={{
                marginInlineStart: `${attempt.startMs * scale}%`,
                width: `${attempt.duration_ms * scale}%`,
              }}
            />
          </div>
        </li>
      ))}
    </ol>
  );
}
