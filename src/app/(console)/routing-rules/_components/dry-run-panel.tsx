"use client";

import { NativeSelect, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "#app/_lib/trpc.ts";
import { FailureAlert } from "#app/_ui/failure-alert.tsx";
import { type Draft, hasScope } from "./draft.ts";
import { DryRunModel } from "./dry-run-model.tsx";
import { RequestFields } from "./request-fields.tsx";
import type { DryRun } from "./use-dry-run.ts";

interface DryRunPanelProps {
  readonly draft: Draft;
  readonly dryRun: DryRun;
}

function Results({ run, ruleName, shown, uncredentialed, effects }: DryRun) {
  const requirements = run.data?.requirements ?? [];
  const servable = shown.filter(({ provider_count }) => provider_count > 0).length;
  return (
    <section aria-label="Dry run" aria-busy={run.isFetching}>
      <Text fw={600} role="status">
        {servable} of {shown.length} {shown.length === 1 ? "model" : "models"} can be served
      </Text>
      {effects && effects.total > 0 && (
        <Text size="sm">
          {effects.remaining} of {effects.total} endpoints remain
        </Text>
      )}
      {requirements.length > 0 && (
        <Text size="sm">In effect, together with other rules: {requirements.join("; ")}</Text>
      )}
      {uncredentialed > 0 && (
        <Text size="xs" c="dimmed">
          {uncredentialed} more {uncredentialed === 1 ? "has" : "have"} no provider with a credential.
        </Text>
      )}
      <Stack gap="xs" mt="sm">
        {shown.map((result) => (
          <DryRunModel
            key={result.model}
            result={result}
            draftName={ruleName}
            parameters={run.data?.parameters ?? []}
            opened={shown.length <= 3}
          />
        ))}
      </Stack>
    </section>
  );
}

/** What requests would be routed to with the draft. */
export function DryRunPanel({ draft, dryRun }: DryRunPanelProps) {
  const models = useQuery(useTRPC().catalogue.models.queryOptions({}, { staleTime: 60_000 }));
  const { model, setModel, tried, setTried, run } = dryRun;
  const names = draft.models.length > 0 ? draft.models : (models.data?.data ?? []).map(({ id }) => id);
  return (
    <Stack gap="md">
      <NativeSelect
        label="Test with"
        description="Uses the live routing engine and this draft. No provider is contacted and nothing is charged."
        value={model}
        onChange={(event) => setModel(event.currentTarget.value)}
        data={[
          { value: "", label: draft.models.length > 0 ? "Models of the rule" : "All models" },
          ...names.map((value) => ({ value, label: value })),
        ]}
      />
      <RequestFields value={tried} onChange={setTried} />
      {!hasScope(draft) && <Text size="sm">Choose what the rule applies to first.</Text>}
      {run.isError && <FailureAlert error={run.error} onRetry={() => void run.refetch()} />}
      {run.isLoading && <Skeleton h={240} />}
      {run.data && <Results {...dryRun} />}
    </Stack>
  );
}
