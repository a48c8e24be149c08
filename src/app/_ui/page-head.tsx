import { Group, Text } from "@mantine/core";
import type { ReactNode } from "react";

interface PageHeadProps {
  /** What a page of the settings is about. */
  readonly text: string;
  /** What can be begun there. */
  readonly children?: ReactNode;
}

/** The first line of a page that shares its title with others. */
export function PageHead({ text, children }: PageHeadProps) {
  return (
    <Group justify="space-between">
      <Text c="dimmed" size="sm">
        {text}
      </Text>
      {children}
    </Group>
  );
}
