"use client";

import { Alert, Button, Code, Group, Stack, Text } from "@mantine/core";
import { failureOf } from "../_lib/failure.ts";
import { CopyButton } from "./copy-button.tsx";
import { FailureText } from "./failure-text.tsx";
import { AlertIcon } from "./icons.tsx";

/** Shown in place of something that could not be loaded: what happened, the request ID, and a retry. */
export function FailureAlert({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const failure = failureOf(error);
  return (
    <Alert color="red" title="Loading failed" icon={<AlertIcon />} role="alert">
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          <FailureText failure={failure} />
        </Text>
        {failure.requestId && <RequestId id={failure.requestId} />}
        <Button size="xs" variant="default" onClick={onRetry}>
          Try again
        </Button>
      </Stack>
    </Alert>
  );
}

/** A request id with a button to copy it. */
export function RequestId({ id }: { id: string }) {
  return (
    <Group gap={4} wrap="nowrap">
      <Text size="sm" c="dimmed">
        Request
      </Text>
      <Code>{id}</Code>
      <CopyButton value={id} label="Copy request ID" />
    </Group>
  );
}
