"use client";

import { Anchor, Skeleton, Stack, Switch, Text, VisuallyHidden } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";
import { formatAbsolute } from "#app/_lib/format.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { ColumnHeads } from "#app/_ui/column-heads.tsx";
import { FailureAlert } from "#app/_ui/failure-alert.tsx";
import { RowSteps } from "#app/_ui/row-steps.tsx";
import { Sheet } from "#app/_ui/sheet.tsx";
import { Table } from "#app/_ui/table.tsx";
import type { GenerationDetail } from "#contract/generation.ts";
import classes from "./compare-sheet.module.css";
import { compared } from "./comparison.ts";
import { useNameOfKey } from "./use-name-of-key.ts";

const columns = [
  { header: "Fact", width: "26%" },
  { header: "First request" },
  { header: "Second request" },
] as const;

const RequestLink = ({ id, started_at }: Pick<GenerationDetail, "id" | "started_at">) => (
  <Anchor size="sm" component={Link} href={`/logs?open=${id}`}>
    {formatAbsolute(started_at)}
  </Anchor>
);

function Comparison({ first, second }: { first: GenerationDetail; second: GenerationDetail }) {
  const nameOfKey = useNameOfKey();
  const [onlyDifferences, setOnlyDifferences] = useState(true);
  const rows = compared(first, second, nameOfKey);
  const shown = rows.filter(({ differs }) => differs || !onlyDifferences);
  return (
    <Stack gap="md">
      <Text size="sm">
        The request of <RequestLink {...first} /> and the one of <RequestLink {...second} />
      </Text>
      <Switch
        label="Only differences"
        checked={onlyDifferences}
        onChange={({ currentTarget }) => setOnlyDifferences(currentTarget.checked)}
      />
      <Table aria-label="Comparison" verticalSpacing={6} horizontalSpacing="xs" layout="fixed">
        <ColumnHeads columns={columns} />
        <Table.Tbody>
          {shown.map(({ name, values, differs }) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" fw={differs ? 600 : 400} className={classes.name}>
                {name}
                {differs && <VisuallyHidden> (differs)</VisuallyHidden>}
              </Table.Th>
              {columns.slice(1).map(({ header }, at) => (
                <Table.Td key={header} style={{ overflowWrap: "anywhere" }}>
                  {values[at] ?? "–"}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {shown.length === 0 && <Text size="sm">The requests do not differ.</Text>}
    </Stack>
  );
}

interface CompareSheetProps {
  readonly firstId: string;
  readonly secondId: string;
  /** The requests of the table. */
  readonly ids: readonly string[];
  readonly onOpen: (id: string) => void;
  readonly onClose: () => void;
}

/** Two requests side by side; the second one is stepped through. */
export function CompareSheet({ firstId, secondId, ids, onOpen, onClose }: CompareSheetProps) {
  const { get } = useTRPC().generations;
  const first = useQuery(get.queryOptions({ id: firstId }, { staleTime: 60_000 }));
  const second = useQuery(get.queryOptions({ id: secondId }, { staleTime: 60_000 }));
  const failed = [first, second].find(({ isError }) => isError);
  return (
    <Sheet
      title="Comparison"
      size="min(860px, 100vw)"
      onClose={onClose}
      actions={<RowSteps ids={ids} openId={secondId} onOpen={onOpen} />}
    >
      {failed && <FailureAlert error={failed.error} onRetry={() => void failed.refetch()} />}
      {!failed && !(first.data && second.data) && <Skeleton h={480} />}
      {first.data && second.data && <Comparison first={first.data} second={second.data} />}
    </Sheet>
  );
}
