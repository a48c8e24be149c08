import { Anchor, Text } from "@mantine/core";
import Link from "next/link";
import { formatCount, formatShare } from "#app/_lib/format.ts";
import { ColumnHeads } from "#app/_ui/column-heads.tsx";
import { Eur } from "#app/_ui/money.tsx";
import { Panel } from "#app/_ui/panel.tsx";
import { Table } from "#app/_ui/table.tsx";
import type { Top } from "#contract/overview.ts";

interface TopPanelProps {
  readonly title: string;
  readonly rows: readonly (Top & { readonly name?: string | null })[];
  /** The filter of the logs that shows what a row counts. */
  readonly filter: "model" | "provider" | "key";
  readonly range: string;
}

const columns = [
  { header: "Name" },
  { header: "Requests", align: "right", width: 80 },
  { header: "Failed", align: "right", width: 64 },
  { header: "Cost", align: "right", width: 98 },
] as const;

/** A model's name breaks behind its author before it breaks within a word. */
const breakable = (name: string) => {
  const [author, ...rest] = name.split("/");
  if (rest.length === 0) return name;
  return (
    <>
      {author}/<wbr />
      {rest.join("/")}
    </>
  );
};

/** What cost most in the range, each with a link to its requests. */
export function TopPanel({ title, rows, filter, range }: TopPanelProps) {
  return (
    <Panel title={title}>
      {rows.length === 0 ? (
        <Text c="dimmed" size="sm">
          No requests in this period.
        </Text>
      ) : (
        <Table horizontalSpacing={4} verticalSpacing={6} aria-label={title} layout="fixed">
          <ColumnHeads columns={columns} />
          <Table.Tbody>
            {rows.map(({ id, name, requests, failed, cost_eur }) => (
              <Table.Tr key={id}>
                <Table.Th scope="row" fw={400}>
                  <Anchor
                    size="sm"
                    component={Link}
                    href={`/logs?range=${range}&${filter}=${encodeURIComponent(id)}`}
                    style={{ overflowWrap: "anywhere" }}
                  >
                    {breakable(name ?? (filter === "key" ? `key …${id.slice(-8)}` : id))}
                  </Anchor>
                </Table.Th>
                <Table.Td ta="right">{formatCount(requests)}</Table.Td>
                <Table.Td ta="right">{formatShare(failed / requests)}</Table.Td>
                <Table.Td ta="right">
                  <Eur value={cost_eur} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Panel>
  );
}
