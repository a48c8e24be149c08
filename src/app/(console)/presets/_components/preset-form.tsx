"use client";

import { Alert, Stack } from "@mantine/core";
import { useState } from "react";
import { useTRPCClient } from "#app/_lib/trpc.ts";
import { useMay } from "#app/_lib/use-may.ts";
import { ConfirmButton } from "#app/_ui/confirm-button.tsx";
import { FormActions } from "#app/_ui/form-actions.tsx";
import { ReadOnly } from "#app/_ui/read-only.tsx";
import { UnreadableAlert } from "#app/_ui/unreadable-alert.tsx";
import { Unsaved } from "#app/_ui/unsaved.tsx";
import type { PresetWithVersion } from "#contract/preset.ts";
import { draftOf, newDraft, readConfig } from "./draft.ts";
import { OperationFit } from "./operation-fit.tsx";
import { PresetFields } from "./preset-fields.tsx";
import { usePresetSaving } from "./use-preset-saving.ts";

interface PresetFormProps {
  /** Null for a new one. */
  readonly preset: PresetWithVersion | null;
  readonly onClose: () => Promise<unknown>;
}

/** A preset being created or changed. */
export function PresetForm({ preset, onClose }: PresetFormProps) {
  const client = useTRPCClient();
  const mayWrite = useMay("workspaces:write");
  const [initial] = useState(() => (preset ? draftOf(preset) : newDraft));
  const [draft, setDraft] = useState(initial);
  const saving = usePresetSaving(preset, onClose);
  const read = readConfig(draft);
  const isChanged = JSON.stringify(draft) !== JSON.stringify(initial);
  return (
    <form
      method="post"
      aria-label="Preset"
      onSubmit={(event) => {
        event.preventDefault();
        if (read.config) saving.save(draft, read.config);
      }}
    >
      <Unsaved when={isChanged} />
      <Stack>
        <UnreadableAlert
          problem={preset?.designated_version.problem}
          effect="Requests with this version are refused. Saving makes a new version with what is entered here; an older version can also be restored."
        />
        <ReadOnly when={!mayWrite}>
          <PresetFields draft={draft} onChange={setDraft} isStored={preset !== null} />
        </ReadOnly>
        {read.config ? (
          <OperationFit config={read.config} systemPrompt={draft.system_prompt || null} />
        ) : (
          <Alert color="orange" variant="light" role="alert" c="var(--mantine-color-text)">
            {read.problem}
          </Alert>
        )}
        <FormActions
          verb={mayWrite ? (preset ? "Save" : "Create") : null}
          error={saving.error}
          pending={saving.isPending}
          disabled={read.config === undefined || !isChanged}
          onCancel={() => void onClose()}
        >
          {preset && mayWrite && (
            <ConfirmButton
              verb="Delete"
              name={preset.name}
              text="All versions are deleted, and requests that name the preset are refused. This cannot be undone. The audit log keeps its content."
              onConfirm={() => client.presets.remove.mutate({ slug: preset.name })}
              onDone={() => saving.finish(`${preset.name} is deleted.`)}
            />
          )}
        </FormActions>
      </Stack>
    </form>
  );
}
