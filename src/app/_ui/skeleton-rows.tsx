import { Skeleton } from "@mantine/core";
import { Table } from "./table.tsx";

interface SkeletonRowsProps {
  readonly columns: readonly { readonly id: string; readonly visibleFrom?: "sm" | "md" | "lg" }[];
  readonly count: number;
}

/** Rows of a table before they are there, in the height they will have. */
export function SkeletonRows({ columns, count }: SkeletonRowsProps) {
  const rows = Array.from({ length: count }, (_, row) => `row ${row}`);
  return rows.map((row) => (
    <Table.Tr key={row}>
      {columns.map(({ id, visibleFrom }) => (
        <Table.Td key={id} visibleFrom={visibleFrom}>
          <Skeleton h={20} />
        </Table.Td>
      ))}
    </Table.Tr>
  ));
}
