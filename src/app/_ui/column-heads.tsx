import { Table } from "./table.tsx";

interface ColumnHead {
  readonly header: string;
  readonly align?: "right";
  /** In pixels, or a share of the table. */
  readonly width?: number | `${number}%`;
  /** Left out on narrower screens. */
  readonly visibleFrom?: "sm";
}

/** The first row of a table that has its headings in a fixed order. */
export const ColumnHeads = ({ columns }: { columns: readonly ColumnHead[] }) => (
  <Table.Thead>
    <Table.Tr>
      {columns.map(({ header, align, width, visibleFrom }) => (
        <Table.Th key={header} scope="col" ta={align} w={width} visibleFrom={visibleFrom}>
          {header}
        </Table.Th>
      ))}
    </Table.Tr>
  </Table.Thead>
);
