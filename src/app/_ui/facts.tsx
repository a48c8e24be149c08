import type { ReactNode } from "react";
import { Table } from "./table.tsx";

/** Name and value; a row whose value is null is left out. */
export type FactRow = readonly [name: string, value: ReactNode];

interface FactsProps {
  readonly label: string;
  readonly rows: readonly FactRow[];
}

/** Names and values of one item. */
export function Facts({ label, rows }: FactsProps) {
  return (
    <Table aria-label={label} verticalSpacing={6} horizontalSpacing="xs" layout="fixed">
      <Table.Tbody>
        {rows
          .filter(([, value]) => value != null)
          .map(([name, value]) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" w="38%" fw={400} c="dimmed">
                {name}
              </Table.Th>
              <Table.Td style={{ overflowWrap: "anywhere" }}>{value}</Table.Td>
            </Table.Tr>
          ))}
      </Table.Tbody>
    </Table>
  );
}
