import { Group, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

interface ScreenProps {
  readonly title: string;
  readonly description: string;
  /** Stands at the right of the title: what can be done here. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** The frame of what a screen shows. */
export function Screen({ title, description, actions, children }: ScreenProps) {
  return (
    <Stack gap="lg" maw={1280} mx="auto">
      <Group justify="space-between" align="flex-end">
        <div>
          <Title order={1} size="h2">
            {title}
          </Title>
          <Text c="dimmed" size="sm">
            {description}
          </Text>
        </div>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}
