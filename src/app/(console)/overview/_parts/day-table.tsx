import { ScrollArea, Table } from "@mantine/core";
import type { Overview } from "#contract/overview.ts";
import { formatCount, formatEur } from "../../../_lib/format.ts";
import { hourLabel } from "./measures.ts";
import { chartHeight } from "./sizes.ts";

/** The hours that saw requests, with exact amounts. */
export function DayTable({ day, hours }: Pick<Overview, "day" | "hours">) {
  return (
    <ScrollArea
      h={chartHeight}
      viewportProps={{ tabIndex: 0, role: "region", "aria-label": "Hours of the day" }}
    >
      <Table stickyHeader captionSide="top">
        <Table.Caption>{day}, hours in UTC; hours without requests are left out</Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Hour</Table.Th>
            <Table.Th scope="col" ta="right">
              Requests
            </Table.Th>
            <Table.Th scope="col" ta="right">
              Failed
            </Table.Th>
            <Table.Th scope="col" ta="right">
              Tokens in
            </Table.Th>
            <Table.Th scope="col" ta="right">
              Tokens out
            </Table.Th>
            <Table.Th scope="col" ta="right">
              Cost
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {hours
            .filter(({ requests }) => requests > 0)
            .map((hour) => (
              <Table.Tr key={hour.hour}>
                <Table.Th scope="row">{hourLabel(hour)}</Table.Th>
                <Table.Td ta="right">{formatCount(hour.requests)}</Table.Td>
                <Table.Td ta="right">{formatCount(hour.errors)}</Table.Td>
                <Table.Td ta="right">{formatCount(hour.tokens_in)}</Table.Td>
                <Table.Td ta="right">{formatCount(hour.tokens_out)}</Table.Td>
                <Table.Td ta="right">{formatEur(hour.cost_eur)}</Table.Td>
              </Table.Tr>
            ))}
        </Table.Tbody>
      </Table>
    </ScrollArea>
  );
}
