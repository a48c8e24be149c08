"use client";

import { Button, Group as Row, SegmentedControl, Stack } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { parseAsString, parseAsStringLiteral, useQueryState } from "nuqs";
import { download } from "#app/_lib/download.ts";
import { useTRPC, useTRPCClient } from "#app/_lib/trpc.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { ChartPanel, ChartSkeleton } from "#app/_ui/chart-panel.tsx";
import { FailureAlert } from "#app/_ui/failure-alert.tsx";
import { toastFailure } from "#app/_ui/toast.tsx";
import type { UsageReportRow } from "#contract/usage-report.ts";
import type { Days } from "./days.ts";
import { GroupChoice } from "./group-choice.tsx";
import { groupingOf, namesFrom } from "./groups.ts";
import { measureNames, measures, usageChart } from "./usage-chart.ts";
import { UsageTable } from "./usage-table.tsx";

const measureChoices = measureNames.map((value) => ({ value, label: measures[value].label }));
const chartHeight = 260;

/** The usage of a range: by day, by group, and as a file. */
export function UsagePanel({ days }: { days: Days }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const [by, setBy] = useQueryState("by", parseAsString.withDefault("model"));
  const { group, tag, label } = groupingOf(by);
  const grouped = { ...days, ...(tag !== undefined && { tag }) };
  const [measure, setMeasure] = useQueryState("show", parseAsStringLiteral(measureNames).withDefault("eur"));
  const series = useQuery(
    trpc.activity.series.queryOptions({ ...grouped, group }, { placeholderData: keepPreviousData }),
  );
  const report = useQuery(trpc.activity.report.queryOptions({ ...grouped, group_by: group }));
  const keys = useQuery(trpc.keys.names.queryOptions({}, { staleTime: 60_000 }));
  const workspaces = useQuery(trpc.workspaces.list.queryOptions({}, { staleTime: 60_000 }));
  const nameOf = namesFrom(keys.data?.data ?? [], workspaces.data?.data ?? []);
  const save = useMutation({
    mutationFn: async () => {
      const { csvOf } = await import("./usage-csv.ts");
      const rows: UsageReportRow[] = [];
      for (let after: string | null | undefined; after !== null; ) {
        const page = await client.activity.report.query({
          ...grouped,
          group_by: `day,${group}`,
          ...(after && { after }),
        });
        rows.push(...page.data);
        after = page.next;
      }
      const file = `usage-${days.from}-${days.to}-by-${tag ?? group}.csv`;
      download(file, "text/csv", csvOf(rows, group, nameOf));
    },
    onError: toastFailure,
  });
  return (
    <Stack gap="md">
      <Row justify="space-between">
        <GroupChoice by={by} onChange={(chosen) => void setBy(chosen)} />
        <Button
          size="xs"
          variant="default"
          loading={save.isPending}
          disabled={!report.data || report.data.data.length === 0}
          onClick={() => save.mutate()}
        >
          Download CSV
        </Button>
      </Row>
      {series.isError && <FailureAlert error={series.error} onRetry={() => void series.refetch()} />}
      {series.isPending && <ChartSkeleton height={chartHeight} />}
      {series.data && (
        <ChartPanel
          title="Daily usage"
          description={`${measures[measure].label} of each day by ${label.toLowerCase()}`}
          height={chartHeight}
          empty={series.data.data.length > 0 ? "All values are 0." : "No usage in this period."}
          data={usageChart(series.data.data, days, measure, (name) => nameOf(group, name))}
          controls={
            <SegmentedControl
              size="xs"
              aria-label="Measure"
              data={measureChoices}
              value={measure}
              onChange={(chosen) => void setMeasure(measureNames.find((known) => known === chosen) ?? null)}
            />
          }
        />
      )}
      <UsageTable
        group={group}
        label={label}
        rows={report.data?.data}
        nameOf={nameOf}
        error={report.error}
        onRetry={() => void report.refetch()}
      />
    </Stack>
  );
}
