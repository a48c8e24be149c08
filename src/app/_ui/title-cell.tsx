import { Text } from "@mantine/core";
import type { ReactNode } from "react";

/** The first cell of a row: its title and, smaller below it, a detail. */
export function TitleCell({ title, detail }: { title: ReactNode; detail?: ReactNode }) {
  return (
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
}
