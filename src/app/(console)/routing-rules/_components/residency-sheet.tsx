"use client";

import { Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "#app/_lib/trpc.ts";
import { FailureAlert } from "#app/_ui/failure-alert.tsx";
import { Sheet } from "#app/_ui/sheet.tsx";
import { Table } from "#app/_ui/table.tsx";

interface Country {
  readonly code: string;
  readonly name: string;
  readonly note?: string | undefined;
  readonly enabled?: boolean;
}

function Group({ title, text, countries }: { title: string; text: string; countries: readonly Country[] }) {
  return (
    <section aria-label={title}>
      <Title order={3} size="h5">
        {title}
      </Title>
      <Text size="sm" c="dimmed" mb="xs">
        {text}
      </Text>
      <Table aria-label={title} verticalSpacing={4}>
        <Table.Tbody>
          {countries.map(({ code, name, note, enabled = true }) => (
            <Table.Tr key={code}>
              <Table.Td w={56}>{code}</Table.Td>
              <Table.Th scope="row" fw={400}>
                {name}
                {!enabled && " (disabled by the operator)"}
                {note && (
                  <Text size="xs" c="dimmed">
                    {note}
                  </Text>
                )}
              </Table.Th>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

/** Which countries the words eu, eea and eu_adequate stand for. */
export function ResidencySheet({ onClose }: { onClose: () => void }) {
  const groups = useQuery(useTRPC().routingRules.euResidency.queryOptions({}));
  const lists = groups.data?.data;
  return (
    <Sheet title="EU groups" onClose={onClose}>
      {groups.isError && <FailureAlert error={groups.error} onRetry={() => void groups.refetch()} />}
      {groups.isPending && <Skeleton h={480} />}
      {lists && (
        <Stack gap="lg">
          <Text size="sm">
            “The EEA” includes the first two lists, “with an adequacy decision” all three. As of {lists.as_of}
            .
          </Text>
          <Group
            title={`European Union (${lists.eu_countries.length})`}
            text="Value in rules: eu"
            countries={lists.eu_countries}
          />
          <Group
            title={`Other EEA countries (${lists.eea_countries.length})`}
            text="Value in rules: eea, which includes the EU"
            countries={lists.eea_countries}
          />
          <Group
            title={`Adequacy decisions (${lists.eu_adequate_countries.length})`}
            text="Value in rules: eu_adequate, which includes the EEA. United States: certified providers only."
            countries={lists.eu_adequate_countries}
          />
        </Stack>
      )}
    </Sheet>
  );
}
