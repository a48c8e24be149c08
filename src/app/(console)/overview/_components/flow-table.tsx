import { formatCount } from "#app/_lib/format.ts";
import { ColumnHeads } from "#app/_ui/column-heads.tsx";
import { ScrollRegion } from "#app/_ui/scroll-region.tsx";
import { Table } from "#app/_ui/table.tsx";
import { exclusionLabel } from "#contract/exclusion-words.ts";
import type { RequestFlows } from "#contract/request-flows.ts";
import { countOf, countryText, keyText, providerText, rulesText, setByText } from "./flow-nodes.ts";

const columns = [
  ...[{ header: "Key" }, { header: "Rules" }, { header: "Country" }, { header: "Provider" }],
  ...([
    { header: "Requests", align: "right" },
    { header: "Failed", align: "right" },
  ] as const),
];

/** The numbers of the picture for reading, and every excluded provider with the reason. */
export function FlowTable({ report: { flows, excluded } }: { report: RequestFlows }) {
  return (
    <ScrollRegion mah={340} label="Where requests went, as a table">
      <Table aria-label="Where requests went">
        <ColumnHeads columns={columns} />
        <Table.Tbody>
          {flows.map((flow) => (
            <Table.Tr key={JSON.stringify([flow.key.id, flow.rules, flow.country, flow.provider])}>
              <Table.Th scope="row" fw={400}>
                {keyText(flow.key)}
              </Table.Th>
              <Table.Td>{rulesText(flow.rules)}</Table.Td>
              <Table.Td>{countryText(flow.country)}</Table.Td>
              <Table.Td>{providerText(flow.provider)}</Table.Td>
              <Table.Td ta="right">{formatCount(countOf(flow))}</Table.Td>
              <Table.Td ta="right">{formatCount(flow.failed)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {excluded.length > 0 && (
        <Table aria-label="Excluded providers" mt="md">
          <ColumnHeads
            columns={[
              ...[
                { header: "Excluded provider" },
                { header: "Country" },
                { header: "Reason" },
                { header: "Set by" },
              ],
              { header: "Requests", align: "right" },
            ]}
          />
          <Table.Tbody>
            {excluded.map((one) => (
              <Table.Tr key={JSON.stringify([one.provider, one.reason, one.rule?.id, one.scope])}>
                <Table.Th scope="row" fw={400}>
                  {one.provider}
                </Table.Th>
                <Table.Td>{countryText(one.country)}</Table.Td>
                <Table.Td>{exclusionLabel(one.reason)}</Table.Td>
                <Table.Td>{setByText(one)}</Table.Td>
                <Table.Td ta="right">{formatCount(one.requests)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </ScrollRegion>
  );
}
