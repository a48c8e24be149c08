import { Button, Group } from "@mantine/core";

interface CursorPagesProps {
  /** Null on the newest page. */
  readonly onNewest: (() => void) | null;
  /** Null on the oldest page. */
  readonly onOlder: (() => void) | null;
}

/** The pages of a list without a count. Shows nothing when there is one page only. */
export function CursorPages({ onNewest, onOlder }: CursorPagesProps) {
  if (!onNewest && !onOlder) return null;
  return (
    <Group justify="space-between" p="xs">
      <Button size="xs" variant="default" disabled={!onNewest} onClick={() => onNewest?.()}>
        Newest
      </Button>
      <Button size="xs" variant="default" disabled={!onOlder} onClick={() => onOlder?.()}>
        Older
      </Button>
    </Group>
  );
}
