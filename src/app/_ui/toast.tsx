"use client";

import { Button, Group, Text } from "@mantine/core";
import { failureOf } from "../_lib/failure.ts";
import { RequestId } from "./failure-alert.tsx";
import { FailureText } from "./failure-text.tsx";

const undoMs = 8_000;

/** Reports that something was done; `undo` reverts it. */
export async function toastDone(message: string, undo?: () => void): Promise<void> {
  const { notifications } = await import("@mantine/notifications");
  const id = notifications.show({
    autoClose: undoMs,
    withCloseButton: true,
    closeButtonProps: { "aria-label": "Close" },
    color: "green",
    message: (
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm">{message}</Text>
        {undo && (
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => {
              notifications.hide(id);
              undo();
            }}
          >
            Undo
          </Button>
        )}
      </Group>
    ),
  });
}

/** Reports that something failed, why, and the ID of the request. */
export async function toastFailure(error: unknown): Promise<void> {
  const { notifications } = await import("@mantine/notifications");
  const failure = failureOf(error);
  notifications.show({
    autoClose: false,
    withCloseButton: true,
    closeButtonProps: { "aria-label": "Close" },
    color: "red",
    title: "Action failed",
    message: (
      <>
        <Text size="sm">
          <FailureText failure={failure} />
        </Text>
        {failure.requestId && <RequestId id={failure.requestId} />}
      </>
    ),
  });
}
