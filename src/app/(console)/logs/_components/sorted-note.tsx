import { Text } from "@mantine/core";
import { formatAbsolute, formatCount } from "#app/_lib/format.ts";

interface SortedNoteProps {
  readonly count: number;
  /** From when on requests were compared; null if all were. */
  readonly from: string | null;
}

/** Says what a sorted list leaves out. */
export const SortedNote = ({ count, from }: SortedNoteProps) => (
  <Text size="xs" c="dimmed" p="xs">
    {`The first ${formatCount(count)} in this order`}
    {from && `, of the requests since ${formatAbsolute(from)}`}. Click the column again for the newest first.
  </Text>
);
