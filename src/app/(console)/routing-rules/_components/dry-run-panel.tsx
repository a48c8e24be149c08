"use client";

import { NativeSelect, Skeleton, Stack, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPC, useTRPCClient } from "#app/_lib/trpc.ts";
import { FailureAlert } from "#app/_ui/failure-alert.tsx";
import type { DraftDryRunRequest } from "#contract/routing-rule.ts";
import { createOf, type Draft, hasScope } from "./draft.ts";
import { DryRunModel } from "./dry-run-model.tsx";
import { RequestFields, type TriedRequest } from "./request-fields.tsx";

interface DryRunPanelProps {
  readonly draft: Draft;
  readonly ruleId: string | null;
}

const debounceMs = 250;
const namelessDraft = "this rule";

/** No endpoint has a credential and a base URL, whatever the rules. */
const lacksCredential = (result: {
  provider_count: number;
  excluded: readonly { field: string }[];
}): boolean =>
  result.provider_count === 0 &&
  result.excluded.every(({ field }) => field === "no_credential" || field === "no_base_url");

/** What requests would be routed to with the draft; answers as one writes, an answer no longer wanted is dropped. */
export function DryRunPanel({ draft, ruleId }: DryRunPanelProps) {
  const client = useTRPCClient();
  const models = useQuery(useTRPC().catalogue.models.queryOptions({}, { staleTime: 60_000 }));
  const [model, setModel] = useState("");
  const [tried, setTried] = useState<TriedRequest>({ modalities: [], parameters: [] });
  const rule = { ...createOf(draft), name: draft.name.trim() || namelessDraft };
  const [query] = useDebouncedValue(
    JSON.stringify({
      rule,
      rule_id: ruleId,
      model: model || null,
      input_modalities: tried.modalities.length > 0 ? tried.modalities : null,
      parameters: tried.parameters.length > 0 ? tried.parameters : null,
    }),
    debounceMs,
  );
  const dryRun = useQuery({
    queryKey: ["dry run", query],
    queryFn: async ({ signal }) => {
      const asked: DraftDryRunRequest = JSON.parse(query);
      const { data } = await client.routingRules.dryRunDraft.mutate(asked, { signal });
      return { results: data.results, parameters: asked.parameters ?? [] };
    },
    enabled: hasScope(draft),
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  const results = dryRun.data?.results ?? [];
  const shown = model ? results : results.filter((result) => !lacksCredential(result));
  const uncredentialed = results.length - shown.length;
  const servable = shown.filter(({ provider_count }) => provider_count > 0).length;
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
      {dryRun.isError && <FailureAlert error={dryRun.error} onRetry={() => void dryRun.refetch()} />}
      {dryRun.isLoading && <Skeleton h={240} />}
      {dryRun.data && (
        <section aria-label="Dry run" aria-busy={dryRun.isFetching}>
          <Text fw={600} role="status">
            {servable} of {shown.length} {shown.length === 1 ? "model" : "models"} can be served
          </Text>
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
                draftName={rule.name}
                parameters={dryRun.data.parameters}
                opened={shown.length <= 3}
              />
            ))}
          </Stack>
        </section>
      )}
    </Stack>
  );
}
