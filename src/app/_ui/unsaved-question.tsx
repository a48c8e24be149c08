"use client";

import { Button, Group, Stack, Text } from "@mantine/core";
import { Dialog } from "./dialog.tsx";
import { question } from "./unsaved.tsx";

/** Asks before unsaved changes are lost. */
export function UnsavedQuestion() {
  return (
    <Dialog title="Leave without saving?" onClose={question.stay}>
      <Stack>
        <Text size="sm">Your changes are not saved.</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={question.stay} data-autofocus>
            Keep editing
          </Button>
          <Button color="red.9" onClick={question.leave}>
            Discard changes
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
