"use client";

import { Code, Skeleton, Stack, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { formatCount } from "#app/_lib/format.ts";
import { useTRPCClient } from "#app/_lib/trpc.ts";
import { Facts } from "#app/_ui/facts.tsx";
import { FailureAlert } from "#app/_ui/failure-alert.tsx";
import { Panel } from "#app/_ui/panel.tsx";
import { BudgetCreate } from "#contract/budget.ts";
import type { BudgetPreview } from "#contract/budget-preview.ts";
import { measures, periods } from "./budget-text.ts";
import { type BudgetDraft, createOf } from "./draft.ts";

const debounceMs = 300;
const namelessDraft = "this budget";

/** What the budget would have done to past requests. */
function Past({ past, draft }: { past: BudgetPreview["past"]; draft: BudgetDraft }) {
  if (past === null)
    return (
      <Text size="sm">
        {draft.measure === "concurrency"
          ? "How many requests ran at the same time is not recorded, so there is no preview."
          : "Only tags are recorded with requests, so there is no preview for other keys of metadata. Tags are chosen in Settings → Organisation."}
      </Text>
    );
  const { requests, stopped, exhausted, highest, truncated } = past;
  return (
    <>
      <Text fw={600} role="status">
        {stopped === 0
          ? "No request would have been stopped"
          : `${formatCount(stopped)} of ${formatCount(requests)} requests would have been stopped`}
      </Text>
      <Facts
        label="Last 30 days"
        rows={[
          ["Requests counted", formatCount(requests)],
          ["Limit used up", `${formatCount(exhausted)} ${exhausted === 1 ? "time" : "times"}`],
          [`Highest use${periods[draft.period].per}`, measures[draft.measure].amount(highest)],
        ]}
      />
      {truncated && (
        <Text size="xs" c="dimmed">
          There are more than 100,000 requests. The newest 100,000 were evaluated.
        </Text>
      )}
    </>
  );
}

/** What a refused client receives. */
const Refusal = ({ refusal }: { refusal: BudgetPreview["refusal"] }) => (
  <Stack gap="xs">
    <Facts
      label="Refusal"
      rows={[
        ["Status", refusal.status],
        ["Code", <Code key="code">{refusal.code}</Code>],
        ...Object.entries(refusal.headers),
      ]}
    />
    <Text size="sm" style={{ overflowWrap: "anywhere" }}>
      {refusal.message}
    </Text>
  </Stack>
);

/** What a draft would do: to the requests of the last 30 days, and to a refused client. */
export function PreviewPanel({ draft }: { draft: BudgetDraft }) {
  const client = useTRPCClient();
  const body = createOf({ ...draft, name: draft.name.trim() || namelessDraft });
  const [asked] = useDebouncedValue(JSON.stringify(body), debounceMs);
  const valid = BudgetCreate.safeParse(JSON.parse(asked)).success;
  const preview = useQuery({
    queryKey: ["budget preview", asked],
    queryFn: async ({ signal }) => (await client.budgets.preview.mutate(JSON.parse(asked), { signal })).data,
    enabled: valid,
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  if (!valid && !preview.data) return <Text size="sm">Enter a limit to see what the budget would do.</Text>;
  if (preview.isError) return <FailureAlert error={preview.error} onRetry={() => void preview.refetch()} />;
  if (!preview.data) return <Skeleton h={240} />;
  return (
    <Stack aria-busy={preview.isFetching}>
      <Panel title="In the last 30 days">
        <Past past={preview.data.past} draft={draft} />
      </Panel>
      <Panel title="What a refused client receives">
        <Refusal refusal={preview.data.refusal} />
      </Panel>
    </Stack>
  );
}
