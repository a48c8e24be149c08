import { Alert, Button, Group, Text } from "@mantine/core";

/** Says which request waits for another one to be compared with. */
export function CompareNotice({ id, onCancel }: { id: string; onCancel: () => void }) {
  return (
    <Alert role="status" p="xs">
      <Group justify="space-between">
        <Text size="sm">
          Open another request to compare it with the one whose ID ends in …{id.slice(-8)}.
        </Text>
        <Button size="compact-sm" variant="default" onClick={onCancel}>
          Cancel comparison
        </Button>
      </Group>
    </Alert>
  );
}
