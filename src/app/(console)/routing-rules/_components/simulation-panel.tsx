"use client";

import { Button, Group, NativeSelect, SegmentedControl, Skeleton, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { formatCount } from "#app/_lib/format.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { ChartPanel } from "#app/_ui/chart-panel.tsx";
import { ColumnHeads } from "#app/_ui/column-heads.tsx";
import { Facts } from "#app/_ui/facts.tsx";
import { FailureAlert } from "#app/_ui/failure-alert.tsx";
import { FlowLegend } from "#app/_ui/flows/flow-legend.tsx";
import { FlowPicture } from "#app/_ui/flows/flow-picture.tsx";
import { Eur } from "#app/_ui/money.tsx";
import { Panel } from "#app/_ui/panel.tsx";
import { part } from "#app/_ui/part.tsx";
import { Table } from "#app/_ui/table.tsx";
import type { SimulationResult } from "#contract/simulation.ts";
import { createOf, type Draft, hasScope } from "./draft.ts";
import { placesOf, simulatedColumns, simulatedGraph } from "./simulated-flows.ts";

/** Its shapes are long, and loaded when somebody asks for them. */
const SimulatedMap = part(
  () => import("./simulated-map.tsx").then((loaded) => loaded.SimulatedMap),
  () => <Skeleton h={180} radius="md" />,
);

interface SimulationPanelProps {
  readonly draft: Draft;
  readonly ruleId: string | null;
}

const spans = [
  { value: "1", label: "Last day" },
  { value: "7", label: "Last 7 days" },
  { value: "30", label: "Last 30 days" },
  { value: "90", label: "Last 90 days" },
];

function Regions({ residency: { before, after } }: Pick<SimulationResult, "residency">) {
  const places = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return (
    <ChartPanel
      title="Regions"
      description="Requests by country, before and after"
      height={180}
      empty="No eligible provider for any of them."
      data={{
        axis: "Country",
        labels: places.map(placesOf),
        sideBySide: true,
        format: formatCount,
        series: [
          {
            name: "before",
            label: "Before",
            color: "gray.6",
            values: places.map((place) => before[place] ?? 0),
          },
          {
            name: "after",
            label: "After",
            color: "sea.6",
            values: places.map((place) => after[place] ?? 0),
          },
        ],
      }}
    />
  );
}

const legend = [
  { label: "Unchanged", color: "gray.6" },
  { label: "Rerouted", color: "sea.6" },
  { label: "Refused", color: "red.6" },
];

const views = [
  { value: "diagram", label: "Diagram" },
  { value: "map", label: "Map" },
];

function Flows({ flows, residency }: Pick<SimulationResult, "flows" | "residency">) {
  const [view, setView] = useState("diagram");
  return (
    <Panel
      title="Before and after"
      aside={<SegmentedControl size="xs" aria-label="Show as" data={views} value={view} onChange={setView} />}
    >
      {view === "map" ? (
        <SimulatedMap residency={residency} />
      ) : (
        <>
          <FlowLegend items={legend} />
          <FlowPicture
            title="Before and after"
            description="Requests by provider and country, before and after; the tables below show the numbers"
            columns={simulatedColumns}
            graph={simulatedGraph(flows)}
          />
        </>
      )}
    </Panel>
  );
}

const movedShown = 20;
const movedColumns = [{ header: "From" }, { header: "To" }, { header: "Requests", align: "right" }] as const;

const MovedTable = ({ moved }: Pick<SimulationResult, "moved">) => (
  <Table aria-label="Rerouted">
    <ColumnHeads columns={movedColumns} />
    <Table.Tbody>
      {moved.slice(0, movedShown).map(({ from, to, count }) => (
        <Table.Tr key={`${from} ${to}`}>
          <Table.Td>{from}</Table.Td>
          <Table.Td>{to}</Table.Td>
          <Table.Td ta="right">{formatCount(count)}</Table.Td>
        </Table.Tr>
      ))}
    </Table.Tbody>
  </Table>
);

function Result({ result }: { result: SimulationResult }) {
  if (result.considered === 0) return <Text size="sm">No requests in this period.</Text>;
  return (
    <>
      <Facts
        label="Changes"
        rows={[
          ["Requests", `${formatCount(result.considered)}${result.truncated ? " (newest only)" : ""}`],
          ["Unchanged", formatCount(result.unchanged)],
          ["Rerouted", formatCount(result.moved_count)],
          ["Refused", formatCount(result.refused)],
          ["Already refused by current rules", formatCount(result.refused_already)],
          ["Cost before", <Eur key="before" value={result.cost_eur_before} />],
          ["Cost after", <Eur key="after" value={result.cost_eur_after} />],
          ["Difference", <Eur key="change" value={result.cost_eur_change} />],
        ]}
      />
      <Flows flows={result.flows} residency={result.residency} />
      <Regions residency={result.residency} />
      {result.moved.length > 0 && <MovedTable moved={result.moved} />}
    </>
  );
}

/** What the draft would have changed for recorded requests. */
export function SimulationPanel({ draft, ruleId }: SimulationPanelProps) {
  const [days, setDays] = useState("7");
  const simulate = useMutation(useTRPC().routingRules.simulate.mutationOptions());
  const run = () =>
    simulate.mutate({
      rule: { ...createOf(draft), name: draft.name.trim() || "this rule" },
      rule_id: ruleId,
      days: Number(days),
    });
  return (
    <Stack gap="md">
      <Group gap="xs" align="flex-end">
        <NativeSelect
          label="Period"
          value={days}
          onChange={(event) => setDays(event.currentTarget.value)}
          data={spans}
        />
        <Button onClick={run} loading={simulate.isPending} disabled={!hasScope(draft)}>
          Replay
        </Button>
      </Group>
      <Text size="xs" c="dimmed">
        Routes recorded requests with the current rules and with this draft. Prompts are not read, no provider
        is contacted and nothing is charged.
      </Text>
      {simulate.isError && <FailureAlert error={simulate.error} onRetry={run} />}
      {simulate.data && <Result result={simulate.data.data} />}
    </Stack>
  );
}
