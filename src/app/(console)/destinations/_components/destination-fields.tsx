"use client";

import { Input, Slider, Stack, Switch, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { formatShare } from "#app/_lib/format.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { LimitToField } from "#app/_ui/limit-to-field.tsx";
import { ResidencyField } from "#app/_ui/residency-field.tsx";
import { WorkspaceField } from "#app/_ui/workspace-field.tsx";
import { ConfigFields } from "./config-fields.tsx";
import type { ConfigField } from "./config-schema.ts";
import type { Draft } from "./draft.ts";

interface DestinationFieldsProps {
  readonly fields: readonly ConfigField[];
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
}

/** Steps a person thinks in; any other share can be set over the API. */
const rates = [0.01, 0.05, 0.1, 0.25, 0.5, 1];
const labelled = new Set([0.01, 0.1, 0.5, 1]);
const marks = rates.map((rate, value) =>
  labelled.has(rate) ? { value, label: formatShare(rate) } : { value },
);
const nearest = (rate: number): number =>
  rates.reduce(
    (best, one, at) => (Math.abs(one - rate) < Math.abs((rates[best] ?? 1) - rate) ? at : best),
    0,
  );

/** All that can be set of a destination. */
export function DestinationFields({ fields, draft, onChange }: DestinationFieldsProps) {
  const trpc = useTRPC();
  const keys = useQuery(trpc.keys.list.queryOptions({}));
  const workspaces = useQuery(trpc.workspaces.list.queryOptions({}));
  const set = (change: Partial<Draft>) => onChange({ ...draft, ...change });
  return (
    <Stack>
      <TextInput
        label="Name"
        required
        maxLength={255}
        value={draft.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      <ConfigFields fields={fields} typed={draft.typed} onChange={(typed) => set({ typed })} />
      <Switch
        label="Privacy mode"
        description="Prompts and answers are removed before anything is stored or sent. Token counts, cost and timings remain."
        checked={draft.privacy_mode}
        onChange={(event) => set({ privacy_mode: event.currentTarget.checked })}
      />
      <Input.Wrapper
        label="Sampling rate"
        description="Requests of one session are sampled together"
        labelElement="div"
        pb="lg"
      >
        <Slider
          mt="xs"
          min={0}
          max={rates.length - 1}
          step={1}
          marks={marks}
          restrictToMarks
          value={nearest(draft.sampling_rate)}
          onChange={(at) => set({ sampling_rate: rates[at] ?? 1 })}
          label={(at) => formatShare(rates[at] ?? 1)}
          thumbLabel="Sampling rate"
        />
      </Input.Wrapper>
      <ResidencyField
        label="Data region"
        description="Where this destination stores data. It gets no content and no user of requests whose rules require another region."
        nowhere="Not specified"
        value={draft.residency}
        onChange={(residency) => set({ residency })}
      />
      <WorkspaceField
        label="Scope"
        none="Entire organisation"
        workspaces={workspaces.data?.data}
        value={draft.workspace_id}
        onChange={(workspace_id) => set({ workspace_id })}
      />
      <LimitToField
        label="Limit to keys"
        all="All keys"
        nothingFound="No matching key"
        choices={(keys.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        value={draft.api_key_filter}
        onChange={(api_key_filter) => set({ api_key_filter })}
      />
      <Text size="xs" c="dimmed">
        Traces are sent after the response. A slow or unavailable destination never delays requests.
      </Text>
    </Stack>
  );
}
