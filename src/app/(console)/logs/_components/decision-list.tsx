import { Anchor, List, Stack, Text } from "@mantine/core";
import Link from "next/link";
import { endpointRole } from "#app/_lib/attempt-words.ts";
import { Table } from "#app/_ui/table.tsx";
import { exclusionLabel } from "#contract/exclusion-words.ts";
import type { GenerationSheet } from "#contract/generation.ts";

const plain = (word: string): string => word.replaceAll("_", " ");

/** The routing decision: the rules that applied, the ranked endpoints, and the excluded ones with their reasons. */
export function DecisionList({ generation }: { generation: GenerationSheet }) {
  const setBy = (id: string) =>
    generation.rule_names[id] ?? (/^[0-9a-f-]{36}$/.test(id) ? "a deleted rule" : id);
  const { models } = generation.decision;
  if (models.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        Refused before routing.
      </Text>
    );
  }
  return (
    <Stack gap="xl">
      {models.map(({ model, strategy, rules: ruleIds, rule_count, ranked, excluded }) => (
        <section key={model} aria-label={model}>
          <Text fw={600}>{model}</Text>
          <Text size="sm" c="dimmed" mb="xs">
            Ranked by {plain(strategy)};{" "}
            {rule_count === 0 ? "no rule applied" : `${rule_count} ${rule_count === 1 ? "rule" : "rules"}: `}
            {ruleIds.map((id, index) => (
              <span key={id}>
                {index > 0 && ", "}
                <Anchor size="sm" component={Link} href={`/routing-rules?edit=${id}`}>
                  {setBy(id)}
                </Anchor>
              </span>
            ))}
          </Text>
          {ranked.length === 0 ? (
            <Text size="sm">No eligible provider.</Text>
          ) : (
            <List type="ordered" size="sm">
              {ranked.map((endpoint) => (
                <List.Item key={endpoint} fw={endpoint === generation.endpoint ? 600 : undefined}>
                  {endpoint}
                  {endpoint === generation.endpoint &&
                    ` (${endpointRole(generation).replace(" by", "").toLowerCase()})`}
                </List.Item>
              ))}
            </List>
          )}
          {excluded.length > 0 && (
            <Table mt="sm" aria-label="Excluded">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th scope="col">Excluded</Table.Th>
                  <Table.Th scope="col">Reason</Table.Th>
                  <Table.Th scope="col">Set by</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {excluded.map(({ endpoint, excluded_by, set_by }) => (
                  <Table.Tr key={endpoint}>
                    <Table.Th scope="row" fw={400} style={{ overflowWrap: "anywhere" }}>
                      {endpoint}
                    </Table.Th>
                    <Table.Td>{exclusionLabel(excluded_by)}</Table.Td>
                    <Table.Td>{setBy(set_by)}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          )}
        </section>
      ))}
    </Stack>
  );
}
