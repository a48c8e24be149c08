import { Stack, Text } from "@mantine/core";
import type { PresetVersion } from "#contract/preset.ts";
import classes from "./difference-table.module.css";
import { differencesOf, type Line, lineDifferences } from "./differences.ts";

interface DifferenceTableProps {
  readonly label: string;
  readonly before: PresetVersion;
  readonly after: PresetVersion;
}

/** Signs tell the lines apart without colour. */
function LineText({ line: { change, text } }: { line: Line }) {
  if (change === "added") return <ins>+ {text}</ins>;
  if (change === "removed") return <del>− {text}</del>;
  return <span>{`  ${text}`}</span>;
}

/** What differs between two versions, field by field and line by line. */
export function DifferenceTable({ label, before, after }: DifferenceTableProps) {
  const differences = differencesOf(before, after);
  if (differences.length === 0)
    return (
      <Text size="sm" c="dimmed">
        No differences.
      </Text>
    );
  return (
    <Stack gap="sm" role="group" aria-label={label}>
      {differences.map(({ field, before: old, after: given }) => (
        <div key={field}>
          <Text size="sm" fw={600}>
            {field.replaceAll("_", " ")}
          </Text>
          <pre className={classes.lines}>
            {lineDifferences(old, given).map((line, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
              <LineText key={at} line={line} />
            ))}
          </pre>
        </div>
      ))}
    </Stack>
  );
}
