import { Group, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";

interface EmptyStateProps {
  readonly title: string;
  /** What would stand here and how it gets here. */
  readonly text: ReactNode;
  /** What to do about it. */
  readonly children?: ReactNode;
}

/** Shown in place of an empty list: what the list is for and how to begin. */
export function EmptyState({ title, text, children }: EmptyStateProps) {
  return (
    <Stack align="center" gap="xs" py="xl" px="md" ta="center">
      <Text fw={600}>{title}</Text>
      {/* As wide as there is room, or what cannot be wrapped in it would widen the page. */}
      <Text c="dimmed" size="sm" w="100%" maw={460} component="div">
        {text}
      </Text>
      {children && (
        <Group gap="xs" mt="xs" justify="center">
          {children}
        </Group>
      )}
    </Stack>
  );
}
