import { Group, Paper, type PaperProps, Title } from "@mantine/core";
import type { ReactNode } from "react";

interface PanelProps extends PaperProps {
  readonly title: string;
  /** Shown at the right of the title. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

/** A titled region of a screen. */
export function Panel({ title, aside, children, ...paper }: PanelProps) {
  return (
    <Paper component="section" withBorder p="md" bg="var(--console-surface)" aria-label={title} {...paper}>
      <Group justify="space-between" mb="sm" gap="sm">
        <Title order={2} size="h5">
          {title}
        </Title>
        {aside}
      </Group>
      {children}
    </Paper>
  );
}
