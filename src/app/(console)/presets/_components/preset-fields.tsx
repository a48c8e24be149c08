"use client";

import { Button, Collapse, Stack, Textarea } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPC } from "#app/_lib/trpc.ts";
import { NameField } from "#app/_ui/text-fields.tsx";
import { WorkspaceField } from "#app/_ui/workspace-field.tsx";
import { NamePicker } from "#app/(console)/routing-rules/_components/name-picker.tsx";
import { PreferenceFields } from "#app/(console)/routing-rules/_components/preference-fields.tsx";
import type { Draft } from "./draft.ts";
import { ParameterInputs } from "./parameter-inputs.tsx";

interface PresetFieldsProps {
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
  /** The name and the workspace of a stored preset cannot be changed. */
  readonly isStored: boolean;
}

/** Name and workspace of a new preset. */
function PlaceFields({ draft, onChange }: Omit<PresetFieldsProps, "isStored">) {
  const workspaces = useQuery(useTRPC().workspaces.list.queryOptions({}, { staleTime: 60_000 }));
  return (
    <>
      <NameField
        withAsterisk
        maxLength={64}
        description="Lower-case letters, digits, - and _. Requests use it, so it cannot be changed."
        pattern="[a-z0-9]([a-z0-9_\-]*[a-z0-9])?"
        title="Lower-case letters, digits, - and _, with a letter or digit at both ends"
        value={draft.name}
        onChange={(event) => onChange({ ...draft, name: event.currentTarget.value })}
        data-autofocus
      />
      <WorkspaceField
        description="Keys of other workspaces cannot use it"
        none="None: every key can use it"
        workspaces={workspaces.data?.data}
        value={draft.workspace_id}
        onChange={(workspace_id) => onChange({ ...draft, workspace_id })}
      />
    </>
  );
}

/** All that a preset sets. Provider preferences are many and rarely needed, so they are hidden at first. */
export function PresetFields({ draft, onChange, isStored }: PresetFieldsProps) {
  const models = useQuery(useTRPC().catalogue.models.queryOptions({}, { staleTime: 60_000 }));
  const [showsProviders, setShowsProviders] = useState(Object.keys(draft.provider).length > 0);
  const set = (change: Partial<Draft>) => onChange({ ...draft, ...change });
  return (
    <>
      {!isStored && <PlaceFields draft={draft} onChange={onChange} />}
      <Textarea
        label="Description"
        autosize
        maxLength={1000}
        value={draft.description}
        onChange={(event) => set({ description: event.currentTarget.value })}
      />
      <Textarea
        label="System prompt"
        description="Precedes the messages of every request"
        autosize
        minRows={3}
        maxRows={20}
        maxLength={65_536}
        value={draft.system_prompt}
        onChange={(event) => set({ system_prompt: event.currentTarget.value })}
      />
      <NamePicker
        label="Models"
        description="For requests that name none. They are tried in this order."
        addLabel="Add a model"
        chosen={draft.models}
        onChange={(chosen) => set({ models: chosen })}
        choices={(models.data?.data ?? []).map(({ id, usable_endpoints }) => ({
          value: id,
          label: usable_endpoints > 0 ? id : `${id} (no provider)`,
        }))}
      />
      <ParameterInputs typed={draft.parameters} onChange={(parameters) => set({ parameters })} />
      <Button
        variant="subtle"
        size="compact-sm"
        w="fit-content"
        onClick={() => setShowsProviders(!showsProviders)}
        aria-expanded={showsProviders}
      >
        {showsProviders ? "Hide provider preferences" : "Provider preferences"}
      </Button>
      <Collapse expanded={showsProviders}>
        <Stack>
          <PreferenceFields value={draft.provider} onChange={(provider) => set({ provider })} />
        </Stack>
      </Collapse>
    </>
  );
}
