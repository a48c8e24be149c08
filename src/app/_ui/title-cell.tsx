import { Box, Group, Text } from "@mantine/core";
import type { ReactNode } from "react";

interface TitleCellProps {
  readonly title: ReactNode;
  readonly detail?: ReactNode;
  /** Stands before both, such as a monogram. */
  readonly mark?: ReactNode;
}

/** The first cell of a row: its title and, smaller below it, a detail. */
export function TitleCell({ title, detail, mark }: TitleCellProps) {
  const texts = (
    <>
      <Text component="span" size="sm" fw={500} display="block" style={{ overflowWrap: "anywhere" }}>
        {title}
      </Text>
      {detail && (
        <Text component="span" size="xs" c="dimmed" display="block">
          {detail}
        </Text>
      )}
    </>
  );
  if (!mark) return texts;
  return (
    <Group component="span" gap="sm" wrap="nowrap">
      {mark}
      <Box component="span">{texts}</Box>
    </Group>
  );
}
