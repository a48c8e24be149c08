import { Anchor, Paper, Text } from "@mantine/core";
import Link from "next/link";
import { tileHeight } from "./sizes.ts";

interface TileProps {
  readonly label: string;
  readonly value: string;
  readonly note: string;
  /** The exact value when the shown one is rounded, or more about it. */
  readonly exact?: string;
  /** Where the requests are that it counts. */
  readonly href?: string;
}

/** Characters that fit a tile at full size; a longer value is set smaller rather than cut. */
const longValue = 9;

/** One number of the overview. */
export function Tile({ label, value, note, exact, href }: TileProps) {
  return (
    <Paper withBorder p="md" mih={tileHeight} bg="var(--console-surface)">
      <dt>
        <Text size="sm" c="dimmed">
          {label}
        </Text>
      </dt>
      <dd style={{ margin: 0 }}>
        <Text
          fz={value.length > longValue ? { base: 16, sm: 19 } : { base: 20, sm: 26 }}
          fw={650}
          lh="32px"
          title={exact}
        >
          {href ? (
            <Anchor component={Link} href={href} inherit c="inherit" aria-label={`${label}: ${value}`}>
              {value}
            </Anchor>
          ) : (
            value
          )}
        </Text>
        <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
          {note}
        </Text>
      </dd>
    </Paper>
  );
}
