import { Box, Button, Stack, Text } from "@mantine/core";
import { Message } from "#app/_ui/message.tsx";
import type { Draft } from "./draft.ts";

interface HistoryProps {
  readonly history: Draft["history"];
  readonly onRemove: () => void;
}

/** Earlier messages that are sent with the new one. */
export function History({ history, onRemove }: HistoryProps) {
  return (
    <Box component="details" open>
      <Text component="summary" size="sm" fw={500} py={2}>
        Earlier messages ({history.length})
      </Text>
      <Stack gap="xs" mt="xs" mah={320} style={{ overflowY: "auto" }}>
        {history.map((item, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the order of earlier messages does not change
          <Message key={at} item={item} />
        ))}
      </Stack>
      <Button variant="subtle" size="compact-sm" mt="xs" onClick={onRemove}>
        Remove
      </Button>
    </Box>
  );
}
