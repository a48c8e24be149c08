"use client";

import { SimpleGrid, Stack, Switch } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { fieldErrorsOf } from "#app/_lib/field-errors.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useFieldErrors } from "#app/_lib/use-field-errors.ts";
import { ExpiryField } from "#app/_ui/expiry-field.tsx";
import { FormActions } from "#app/_ui/form-actions.tsx";
import { LimitFields } from "#app/_ui/limit-fields.tsx";
import { NumberField } from "#app/_ui/number-field.tsx";
import { NameField } from "#app/_ui/text-fields.tsx";
import { Unsaved } from "#app/_ui/unsaved.tsx";
import { WorkspaceField } from "#app/_ui/workspace-field.tsx";
import { ApiKeyCreate } from "#contract/key.ts";
import { bodyOf, type KeyDraft } from "./key-draft.ts";
import { ModelsField } from "./models-field.tsx";
import { PermissionsField } from "./permissions-field.tsx";

interface KeyFormProps {
  readonly initial: KeyDraft;
  /** What the button does: `Create`. */
  readonly verb: string;
  readonly saving: { readonly error: unknown; readonly isPending: boolean };
  readonly onSave: (draft: KeyDraft) => void;
  readonly onCancel: () => void;
}

/** All that its owner decides of a key, before it is made and afterwards. */
export function KeyForm({ initial, verb, saving, onSave, onCancel }: KeyFormProps) {
  const workspaces = useQuery(useTRPC().workspaces.list.queryOptions({}));
  const [draft, setDraft] = useState(initial);
  const { errors, accepts } = useFieldErrors(fieldErrorsOf(ApiKeyCreate, bodyOf(draft)));
  const set = (change: Partial<KeyDraft>) => setDraft({ ...draft, ...change });

  function submit(event: FormEvent<HTMLFormElement>) {
    if (accepts(event)) onSave(draft);
  }

  return (
    <form method="post" onSubmit={submit} noValidate>
      <Unsaved when={JSON.stringify(draft) !== JSON.stringify(initial)} />
      <Stack>
        <NameField
          description="Who or what uses this key"
          value={draft.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          error={errors.name}
        />
        <LimitFields value={draft} onChange={set} errors={errors} />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <ExpiryField value={draft.ends} onChange={(ends) => set({ ends })} error={errors.expires_at} />
          <NumberField
            label="Requests per minute"
            placeholder="Installation default"
            min={1}
            max={1_000_000}
            allowDecimal={false}
            allowNegative={false}
            value={draft.requests_per_minute ?? ""}
            onChange={(rate) => set({ requests_per_minute: rate === "" ? null : Number(rate) })}
            error={errors.requests_per_minute}
          />
        </SimpleGrid>
        <ModelsField
          value={draft.allowed_models}
          onChange={(allowed_models) => set({ allowed_models })}
          error={errors.allowed_models}
        />
        <WorkspaceField
          description="The workspace's limit and rules apply to the key, and the key has no access outside it"
          workspaces={workspaces.data?.data}
          value={draft.workspace_id}
          onChange={(workspace_id) => set({ workspace_id })}
        />
        <PermissionsField value={draft.permissions} onChange={(permissions) => set({ permissions })} />
        <Switch
          label="Count your own credentials against the limit"
          description="Includes what providers bill you directly"
          checked={draft.include_byok_in_limit}
          onChange={(event) => set({ include_byok_in_limit: event.currentTarget.checked })}
        />
        <FormActions verb={verb} error={saving.error} pending={saving.isPending} onCancel={onCancel} />
      </Stack>
    </form>
  );
}
