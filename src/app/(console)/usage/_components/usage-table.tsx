"use client";

import { Anchor, Text } from "@mantine/core";
import Link from "next/link";
import { formatCount, formatShare } from "#app/_lib/format.ts";
import { useSort } from "#app/_lib/use-sort.ts";
import { type Column, DataTable } from "#app/_ui/data-table.tsx";
import { EmptyState } from "#app/_ui/empty-state.tsx";
import { Eur, Usd } from "#app/_ui/money.tsx";
import type { UsageReportRow } from "#contract/usage-report.ts";
import { type Group, groups, groupValue, type NameOf } from "./groups.ts";

interface UsageTableProps {
  readonly group: Group;
  /** The heading of the group. */
  readonly label: string;
  readonly rows: readonly UsageReportRow[] | undefined;
  readonly nameOf: NameOf;
  readonly error: unknown;
  readonly onRetry: () => void;
}

const byNumber =
  (value: (row: UsageReportRow) => number) =>
  (a: UsageReportRow, b: UsageReportRow): number =>
    value(a) - value(b);

const numbers: readonly Column<UsageReportRow>[] = [
  {
    id: "requests",
    header: "Requests",
    align: "right",
    compare: byNumber(({ requests }) => requests),
    cell: ({ requests }) => formatCount(requests),
  },
  {
    id: "errors",
    header: "Failed",
    align: "right",
    visibleFrom: "sm",
    compare: byNumber(({ requests, errors }) => errors / requests),
    cell: ({ requests, errors }) => formatShare(errors / requests),
  },
  {
    id: "in",
    header: "Tokens in",
    align: "right",
    visibleFrom: "md",
    compare: byNumber(({ prompt_tokens }) => prompt_tokens),
    cell: ({ prompt_tokens }) => formatCount(prompt_tokens),
  },
  {
    id: "out",
    header: "Tokens out",
    align: "right",
    visibleFrom: "md",
    compare: byNumber(({ completion_tokens }) => completion_tokens),
    cell: ({ completion_tokens }) => formatCount(completion_tokens),
  },
  {
    id: "usd",
    header: "USD",
    align: "right",
    visibleFrom: "sm",
    compare: byNumber(({ cost_usd }) => Number(cost_usd)),
    cell: ({ cost_usd }) => <Usd value={cost_usd} />,
  },
  {
    id: "eur",
    header: "EUR",
    align: "right",
    compare: byNumber(({ cost_eur }) => Number(cost_eur)),
    cell: ({ cost_eur }) => <Eur value={cost_eur} />,
  },
];

/** The sums of the range by one group; each leads to its generations where the logs can show them. */
export function UsageTable({ group, label, rows, nameOf, error, onRetry }: UsageTableProps) {
  const sorting = useSort("-eur");
  const { filter } = groups[group];
  const name: Column<UsageReportRow> = {
    id: "name",
    header: label,
    compare: (a, b) =>
      nameOf(group, groupValue(a, group)).localeCompare(nameOf(group, groupValue(b, group)), "en"),
    cell: (row) => {
      const value = groupValue(row, group);
      const text = nameOf(group, value);
      if (!filter || value === null) return <Text size="sm">{text}</Text>;
      return (
        <Anchor
          size="sm"
          component={Link}
          href={`/logs?range=30d&${filter}=${encodeURIComponent(value)}`}
          style={{ overflowWrap: "anywhere" }}
        >
          {text}
        </Anchor>
      );
    },
  };
  return (
    <DataTable
      label={`Usage by ${label.toLowerCase()}`}
      columns={[name, ...numbers]}
      rows={rows}
      rowId={(row) => groupValue(row, group) ?? ""}
      error={error}
      onRetry={onRetry}
      skeletonRows={5}
      empty={
        <EmptyState
          title="No usage in this period"
          text="Requests appear within a second, with their exact cost in euros and dollars."
        />
      }
      {...sorting}
    />
  );
}
