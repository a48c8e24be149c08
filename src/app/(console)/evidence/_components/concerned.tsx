import { Anchor, SimpleGrid, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { destinationName } from "#app/_lib/delivery-words.ts";
import { formatCount } from "#app/_lib/format.ts";
import { ColumnHeads } from "#app/_ui/column-heads.tsx";
import { Panel } from "#app/_ui/panel.tsx";
import { Table } from "#app/_ui/table.tsx";
import type { DataFlowReport } from "#contract/data-flows.ts";
import type { FlowFilterName } from "./flow-filters.ts";

/** Rows of a panel; the report and the CSV have the others. */
const rowsMax = 10;

interface Row {
  readonly id: string;
  readonly name: string;
  readonly detail?: string;
  readonly requests: number;
}

interface CountPanelProps {
  readonly title: string;
  readonly rows: readonly Row[];
  readonly count: number;
  readonly none: string;
  readonly onChoose: (id: string) => void;
  readonly footer?: ReactNode;
}

const columns = [{ header: "Name" }, { header: "Requests", align: "right", width: 90 }] as const;

function CountPanel({ title, rows, count, none, onChoose, footer }: CountPanelProps) {
  return (
    <Panel title={title}>
      {rows.length === 0 ? (
        <Text c="dimmed" size="sm">
          {none}
        </Text>
      ) : (
        <Table horizontalSpacing={4} verticalSpacing={6} aria-label={title} layout="fixed">
          <ColumnHeads columns={columns} />
          <Table.Tbody>
            {rows.slice(0, rowsMax).map(({ id, name, detail, requests }) => (
              <Table.Tr key={id}>
                <Table.Th scope="row" fw={400}>
                  <Anchor
                    component="button"
                    type="button"
                    size="sm"
                    ta="left"
                    onClick={() => onChoose(id)}
                    style={{ overflowWrap: "anywhere" }}
                  >
                    {name}
                  </Anchor>
                  {detail && (
                    <Text size="xs" c="dimmed">
                      {detail}
                    </Text>
                  )}
                </Table.Th>
                <Table.Td ta="right">{formatCount(requests)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {count > rowsMax && (
        <Text size="xs" c="dimmed" mt="xs">
          and {formatCount(count - rowsMax)} more
        </Text>
      )}
      {footer}
    </Panel>
  );
}

type Destination = DataFlowReport["destinations"][number];

/** `3 with content, 2 without`, only what there is. */
export function deliveryText(destination: Destination): string {
  const { with_content, without_content, impersonal, pending, failed } = destination;
  const { earlier, earlier_with_content } = destination;
  const parts = [
    [with_content, "with content"],
    [without_content, "without content"],
    [impersonal, "without personal data"],
    [pending, "waiting"],
    [failed, "not delivered"],
    [earlier_with_content, "handed over earlier with content"],
    [earlier - earlier_with_content, "handed over earlier without content"],
  ] as const;
  return parts
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${formatCount(count)} ${what}`)
    .join(", ");
}

const sumOf = ({
  with_content,
  without_content,
  impersonal,
  pending,
  failed,
  earlier,
}: Destination): number => with_content + without_content + impersonal + pending + failed + earlier;

interface ConcernedProps {
  readonly report: DataFlowReport;
  readonly onFilter: (name: FlowFilterName, value: string) => void;
}

/** Whose requests they were, and where their traces went. */
export function Concerned({ report, onFilter }: ConcernedProps) {
  const { api_keys, people, end_users, destinations } = report;
  const named = (rows: DataFlowReport["api_keys"], what: string) =>
    rows.map(({ id, name, requests }) => ({
      id,
      name: name ?? `${what} …${id.slice(-8)} (deleted)`,
      requests,
    }));
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
      <CountPanel
        title="End users"
        rows={end_users.data.map(({ end_user, requests }) => ({ id: end_user, name: end_user, requests }))}
        count={end_users.count}
        none="No request names an end user (field user)."
        onChoose={(id) => onFilter("user", id)}
        footer={
          end_users.unnamed > 0 && (
            <Text size="xs" c="dimmed" mt="xs">
              {formatCount(end_users.unnamed)} requests name no end user
            </Text>
          )
        }
      />
      <CountPanel
        title="API keys"
        rows={named(api_keys, "key")}
        count={api_keys.length}
        none="No requests."
        onChoose={(id) => onFilter("key", id)}
      />
      <CountPanel
        title="Owners of the keys"
        rows={named(people, "person")}
        count={people.length}
        none="No requests."
        onChoose={(id) => onFilter("person", id)}
      />
      <CountPanel
        title="Destinations"
        rows={destinations.map((one) => ({
          id: one.id,
          name: destinationName(one.id, one.name),
          detail: deliveryText(one),
          requests: sumOf(one),
        }))}
        count={destinations.length}
        none="No traces of these requests were sent."
        onChoose={(id) => onFilter("destination", id)}
        footer={
          <Text size="xs" c="dimmed" mt="xs">
            Whether traces from more than three days ago arrived is not stored.
          </Text>
        }
      />
    </SimpleGrid>
  );
}
