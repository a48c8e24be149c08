"use client";

import { Anchor, Group, NativeSelect, Stack, Text, Title } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useNow } from "#app/_lib/use-now.ts";
import { CursorPages } from "#app/_ui/cursor-pages.tsx";
import { type Column, DataTable } from "#app/_ui/data-table.tsx";
import { EmptyState } from "#app/_ui/empty-state.tsx";
import { Eur } from "#app/_ui/money.tsx";
import { RelativeTime } from "#app/_ui/relative-time.tsx";
import type { LedgerQuery, LedgerTransfer } from "#contract/credit.ts";

type Kind = LedgerTransfer["kind"];

const kinds: Record<Kind, string> = {
  grant: "Grants",
  adjustment: "Adjustments",
  refund: "Refunds",
  usage: "Usage",
  usage_total: "Usage of deleted months",
};
const kindNames = Object.keys(kinds) as Kind[];
const one: Record<Kind, string> = {
  grant: "Grant",
  adjustment: "Adjustment",
  refund: "Refund",
  usage: "Usage",
  usage_total: "Usage of a deleted month",
};

const columns = (nowMs: number): readonly Column<LedgerTransfer>[] => [
  {
    id: "when",
    header: "Time",
    cell: ({ created_at }) => <RelativeTime iso={created_at} nowMs={nowMs} />,
  },
  { id: "kind", header: "Kind", visibleFrom: "sm", cell: ({ kind }) => one[kind] },
  {
    id: "reason",
    header: "Reason",
    cell: ({ id, kind, reason }) => (
      <>
        <Text size="xs" c="dimmed" hiddenFrom="sm">
          {one[kind]}
        </Text>
        {kind === "usage" ? (
          <Anchor size="sm" component={Link} href={`/logs?open=${id}`}>
            View request
          </Anchor>
        ) : (
          <Text size="sm" style={{ overflowWrap: "anywhere" }}>
            {reason ?? "–"}
          </Text>
        )}
      </>
    ),
  },
  {
    id: "amount",
    header: "EUR",
    align: "right",
    cell: ({ amount_eur }) => (
      <Text size="sm" component="span" style={{ whiteSpace: "nowrap" }}>
        {amount_eur.startsWith("-") ? "" : "+"}
        <Eur value={amount_eur} />
      </Text>
    ),
  },
];

/** Every transfer of the organisation's credit, newest first, page by page. */
export function LedgerPanel() {
  const nowMs = useNow(30_000);
  const [kind, setKind] = useState<Kind | null>(null);
  const [after, setAfter] = useState<LedgerQuery["after"]>(undefined);
  const page = useQuery(
    useTRPC().credits.transfers.queryOptions(
      { ...(kind && { kind }), ...(after && { after }) },
      { placeholderData: keepPreviousData },
    ),
  );
  const next = page.data?.next;
  const choose = (chosen: string) => {
    setKind(kindNames.find((known) => known === chosen) ?? null);
    setAfter(undefined);
  };
  return (
    <Stack gap="sm" component="section" aria-label="Ledger">
      <Group justify="space-between">
        <Title order={2} size="h5">
          Ledger
        </Title>
        <NativeSelect
          size="xs"
          aria-label="Kind of transfer"
          value={kind ?? ""}
          onChange={(event) => choose(event.currentTarget.value)}
          data={[
            { value: "", label: "All transfers" },
            ...kindNames.map((value) => ({ value, label: kinds[value] })),
          ]}
        />
      </Group>
      <DataTable
        label="Transfers"
        columns={columns(nowMs)}
        rows={page.data?.data}
        rowId={({ id }) => id}
        error={page.error}
        onRetry={() => void page.refetch()}
        onClearFilters={kind ? () => choose("") : undefined}
        skeletonRows={6}
        empty={
          <EmptyState
            title="No transfers yet"
            text="Grants, request costs, refunds and corrections are recorded here permanently."
          />
        }
        footer={
          <CursorPages
            onNewest={after ? () => setAfter(undefined) : null}
            onOlder={next ? () => setAfter(next) : null}
          />
        }
      />
    </Stack>
  );
}
