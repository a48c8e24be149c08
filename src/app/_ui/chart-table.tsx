import type { ChartData } from "./chart-data.ts";
import classes from "./chart-table.module.css";
import { ScrollRegion } from "./scroll-region.tsx";
import { Table } from "./table.tsx";

/** The numbers of a chart for reading; places where every one is zero are left out. */
export function ChartTable({ caption, data, height }: { caption: string; data: ChartData; height: number }) {
  const { axis, labels, series, format } = data;
  const shown = labels
    .map((label, index) => ({ label, index }))
    .filter(({ index }) => series.some(({ values }) => values[index] !== 0));
  return (
    <ScrollRegion h={height} label={caption}>
      <Table>
        <caption className={classes.caption}>{caption}; empty rows are hidden</caption>
        <Table.Thead className={classes.head}>
          <Table.Tr>
            <Table.Th scope="col">{axis}</Table.Th>
            {series.map(({ name, label }) => (
              <Table.Th key={name} scope="col" ta="right">
                {label}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {shown.map(({ label, index }) => (
            <Table.Tr key={index}>
              <Table.Th scope="row" className={classes.label}>
                {label}
              </Table.Th>
              {series.map(({ name, values, texts }) => (
                <Table.Td key={name} ta="right" title={texts?.[index]}>
                  {format(values[index] ?? 0)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollRegion>
  );
}
