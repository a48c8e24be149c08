"use client";

import { Anchor, Center, Group, Stack, Text, Title } from "@mantine/core";
import Link from "next/link";
import type { ReactNode } from "react";
import { RequestId } from "./failure-alert.tsx";
import { CompassIcon } from "./icons.tsx";

interface NoticeProps {
  readonly title: string;
  readonly text: string;
  readonly requestId: string | null;
  readonly children?: ReactNode;
}

/** A whole page that says why there is no screen. */
export function Notice({ title, text, requestId, children }: NoticeProps) {
  return (
    <Center component="main" mih="100vh" p="md">
      <Stack align="center" gap="sm" ta="center">
        <CompassIcon width={40} height={40} />
        <Title order={1} size="h3">
          {title}
        </Title>
        <Text c="dimmed">{text}</Text>
        {requestId && <RequestId id={requestId} />}
        <Group mt="sm">
          {children}
          <Anchor component={Link} href="/overview">
            Go to the overview
          </Anchor>
        </Group>
      </Stack>
    </Center>
  );
}
