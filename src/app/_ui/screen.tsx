import { Group, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { headingOf, type ScreenPath } from "./navigation.ts";
import { ScreenTabs } from "./screen-tabs.tsx";

interface ScreenProps {
  readonly path: ScreenPath;
  /** Where it depends on what is shown; otherwise that of the navigation. */
  readonly description?: string;
  /** Buttons and controls at the right of the title. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** The frame of every screen: title, description, actions and tabs. */
export function Screen({ path, description, actions, children }: ScreenProps) {
  const heading = headingOf(path);
  return (
    <Stack gap="lg" maw={1280} mx="auto">
      <Group justify="space-between" align="flex-end">
        <div>
          <Title order={1} size="h2">
            {heading.title}
          </Title>
          <Text c="dimmed" size="sm">
            {description ?? heading.description}
          </Text>
        </div>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      <ScreenTabs path={path} label={heading.title} />
      {children}
    </Stack>
  );
}
