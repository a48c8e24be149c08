import { ScrollArea, Table } from "@mantine/core";
import type { ChartData } from "./chart-data.ts";

/** The numbers of a chart for reading; places where every one is zero are left out. */
export function ChartTable({ caption, data, height }: { caption: string; data: ChartData; height: number }) {
  const { axis, labels, series, format } = data;
  const shown = labels
    .map((label, index) => ({ label, index }))
    .filter(({ index }) => series.some(({ values }) => values[index] !== 0));
  return (
    <ScrollArea h={height} viewportProps={{ tabIndex: 0, role: "region", "aria-label": caption }}>
      <Table stickyHeader captionSide="top">
        <Table.Caption>{caption}; empty rows are hidden</Table.Caption>
        <Table.Thead>
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
              <Table.Th scope="row">{label}</Table.Th>
              {series.map(({ name, values, texts }) => (
                <Table.Td key={name} ta="right">
                  {texts?.[index] ?? format(values[index] ?? 0)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollArea>
  );
}
