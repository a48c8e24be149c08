"use client";

import { Center, Group, Paper, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { CompassIcon } from "./icons.tsx";
import { ThemeMenu } from "./lazy.tsx";

interface SmallPageProps {
  readonly width: number;
  /** Shown below the card. */
  readonly foot?: ReactNode;
  readonly children: ReactNode;
}

/** A page of one card, without the console around it. */
export function SmallPage({ width, foot, children }: SmallPageProps) {
  return (
    <Center component="main" mih="100vh" p="md">
      <Stack w="100%" maw={width} gap="lg">
        <Group gap="xs" justify="space-between">
          <Group gap="xs">
            <CompassIcon width={28} height={28} />
            <Text fw={650} size="lg">
              Portolan
            </Text>
          </Group>
          <ThemeMenu />
        </Group>
        <Paper withBorder p="lg" bg="var(--console-surface)" shadow="xs">
          {children}
        </Paper>
        {foot}
      </Stack>
    </Center>
  );
}
