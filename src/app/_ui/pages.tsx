import { Button, Group, Text } from "@mantine/core";
import { formatCount } from "../_lib/format.ts";

interface PagesProps {
  /** Counted from zero. */
  readonly page: number;
  readonly pageRows: number;
  readonly count: number;
  readonly onPage: (page: number) => void;
}

/** Which part of a long list is shown, and the way to the others. */
export function Pages({ page, pageRows, count, onPage }: PagesProps) {
  const [first, last] = [page * pageRows + 1, Math.min((page + 1) * pageRows, count)];
  return (
    <Group justify="space-between" p="xs">
      <Text size="sm" c="dimmed" role="status">
        {formatCount(first)} to {formatCount(last)} of {formatCount(count)}
      </Text>
      <Group gap="xs">
        <Button size="xs" variant="default" disabled={page === 0} onClick={() => onPage(page - 1)}>
          Previous
        </Button>
        <Button size="xs" variant="default" disabled={last === count} onClick={() => onPage(page + 1)}>
          Next
        </Button>
      </Group>
    </Group>
  );
}
