"use client";

import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { CodeBlock } from "./code-block.tsx";

interface SentInvitationProps {
  readonly email: string;
  /** The link to pass on, when the server sends no mail. */
  readonly link: string | null;
  readonly onDone: () => void;
}

/** The link as this browser reaches the server: the server itself may not know its own address. */
function ownAddress(link: string): string {
  const { pathname, hash } = new URL(link);
  return window.location.origin + pathname + hash;
}

export function SentInvitation({ email, link, onDone }: SentInvitationProps) {
  return (
    <Stack>
      {link === null ? (
        <Text size="sm">An e-mail with the link was sent to {email}.</Text>
      ) : (
        <>
          <Alert variant="default" title="Share this link">
            This server sends no e-mail. Anyone with the link can join as {email}, once and within seven days.
            It is shown only once.
          </Alert>
          <CodeBlock code={ownAddress(link)} label="Invitation link" />
        </>
      )}
      <Group justify="flex-end">
        <Button onClick={onDone}>{link === null ? "Close" : "I have copied it"}</Button>
      </Group>
    </Stack>
  );
}
