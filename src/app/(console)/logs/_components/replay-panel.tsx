"use client";

import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import type { ComponentProps } from "react";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { ExcludedList } from "#app/_ui/excluded-list.tsx";
import { FailureAlert } from "#app/_ui/failure-alert.tsx";
import type { DecisionReplay } from "#contract/decision-replay.ts";
import type { GenerationDetail } from "#contract/generation.ts";

interface Result {
  readonly model: string;
  readonly excluded: ComponentProps<typeof ExcludedList>["excluded"];
}
type Today = Omit<DecisionReplay["today"], "results">;

const outcomes = {
  identical: { variant: "default", title: "The decision is reproduced" },
  different: { color: "red", title: "The decision is not reproduced" },
  not_replayable: { variant: "default", title: "The decision cannot be reproduced" },
} as const;

/** The endpoints that were excluded, with every reason, for each model. */
function Excluded({ label, results }: { label: string; results: readonly Result[] }) {
  return results.map(({ model, excluded }) =>
    excluded.length === 0 ? null : (
      <div key={model}>
        <Text size="sm" fw={600}>
          {results.length === 1 ? label : `${label}: ${model}`}
        </Text>
        <ExcludedList label={`${label}: ${model}`} excluded={excluded} />
      </div>
    ),
  );
}

/** Who would serve a request today, in words. */
function todayText({ is_served, endpoint, is_same_endpoint: isSame, message }: Today): string {
  if (!is_served) return message ?? "No provider may serve it.";
  if (isSame === null) return `${endpoint} would be tried first.`;
  return isSame ? `${endpoint} may still serve it.` : `${endpoint} would be tried first instead.`;
}

/** Makes the decision about a request again, as recorded and under the rules of today. */
export function ReplayPanel({ generation: { id, endpoint } }: { generation: GenerationDetail }) {
  const replay = useMutation(useTRPC().generations.replayDecision.mutationOptions());
  const { data, error } = replay;
  return (
    <Stack gap="sm" component="section" aria-label="Replay">
      <Group>
        <Button size="xs" variant="default" loading={replay.isPending} onClick={() => replay.mutate({ id })}>
          Replay decision
        </Button>
      </Group>
      <Text size="sm" c="dimmed">
        Makes this decision again from the rules, facts and prices recorded with it, and under those of today.
        No provider is contacted.
      </Text>
      {error && <FailureAlert error={error} onRetry={() => replay.mutate({ id })} />}
      {data && (
        <>
          <Alert {...outcomes[data.recorded.outcome]}>
            {data.recorded.message}.
            {data.recorded.replayed_hash && (
              <Text size="xs" c="dimmed" mt={4} style={{ overflowWrap: "anywhere" }}>
                SHA-256 {data.recorded.replayed_hash}
              </Text>
            )}
          </Alert>
          <Excluded label="Excluded then" results={data.recorded.results} />
          <Alert
            variant="default"
            title={data.today.is_served ? "It would be served today" : "It would be refused today"}
          >
            {todayText(data.today)}
            {data.today.is_same_endpoint === false && ` ${endpoint} served it.`}
          </Alert>
          <Excluded label="Excluded today" results={data.today.results} />
        </>
      )}
    </Stack>
  );
}
