"use client";

import { NativeSelect, Switch, Textarea } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "#app/_lib/trpc.ts";
import { NameField } from "#app/_ui/text-fields.tsx";
import type { RuleScope } from "#contract/routing-rule.ts";
import type { Draft } from "./draft.ts";
import { NamePicker } from "./name-picker.tsx";
import { PreferenceFields } from "./preference-fields.tsx";
import { isScope, scopeChoices } from "./scopes.ts";

interface ScopeFieldsProps {
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
  /** The scope of a stored rule cannot be changed. */
  readonly stored: boolean;
}

interface RuleFormProps extends ScopeFieldsProps {
  readonly mayChange: (scope: RuleScope) => boolean;
}

/** The API key or workspace of the scope, and the workspace that the rule is limited to. */
function ScopeFields({ draft, onChange, stored }: ScopeFieldsProps) {
  const trpc = useTRPC();
  const { scope, workspace_id: workspaceId, api_key_id: keyId } = draft;
  const workspaces = useQuery(trpc.workspaces.list.queryOptions({}, { staleTime: 60_000 }));
  const keys = useQuery(trpc.keys.list.queryOptions({}, { enabled: scope === "api_key" }));
  const ofWorkspace = scope === "workspace";
  const all = workspaces.data?.data ?? [];
  // A key is in one workspace already.
  const confinable = workspaceId !== null || (scope !== "api_key" && all.length > 0);
  const choices = (none: string, among: readonly { id: string; name: string }[]) => [
    { value: "", label: none },
    ...among.map(({ id, name }) => ({ value: id, label: name })),
  ];
  return (
    <>
      {scope === "api_key" && (
        <NativeSelect
          label="API key"
          required
          disabled={stored}
          value={keyId ?? ""}
          onChange={(event) => onChange({ ...draft, api_key_id: event.currentTarget.value || null })}
          data={choices("Choose…", keys.data?.data ?? [])}
        />
      )}
      {(ofWorkspace || confinable) && (
        <NativeSelect
          label={ofWorkspace ? "Workspace" : "Limit to workspace"}
          required={ofWorkspace}
          disabled={stored}
          value={workspaceId ?? ""}
          onChange={(event) => onChange({ ...draft, workspace_id: event.currentTarget.value || null })}
          data={choices(ofWorkspace ? "Choose…" : "All workspaces", all)}
        />
      )}
    </>
  );
}

/** Every field of a rule. */
export function RuleForm({ draft, onChange, stored, mayChange }: RuleFormProps) {
  const models = useQuery(useTRPC().catalogue.models.queryOptions({}, { staleTime: 60_000 }));
  const set = (change: Partial<Draft>) => onChange({ ...draft, ...change });
  return (
    <>
      <NameField
        withAsterisk
        maxLength={255}
        value={draft.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
        data-autofocus={!stored}
      />
      <Textarea
        label="Description"
        autosize
        maxLength={1000}
        value={draft.description}
        onChange={(event) => set({ description: event.currentTarget.value })}
      />
      <NativeSelect
        label="Applies to"
        description={stored ? "Cannot be changed after creation" : undefined}
        disabled={stored}
        value={draft.scope}
        onChange={({ currentTarget: { value } }) =>
          isScope(value) && set({ scope: value, workspace_id: null, api_key_id: null })
        }
        data={scopeChoices.filter(({ value }) => stored || mayChange(value))}
      />
      <ScopeFields draft={draft} onChange={onChange} stored={stored} />
      <NamePicker
        label="Models"
        description="Leave empty for all models. The first is used for requests that name no model."
        addLabel="Add a model"
        chosen={draft.models}
        onChange={(chosen) => set({ models: chosen })}
        choices={(models.data?.data ?? []).map(({ id, usable_endpoints }) => ({
          value: id,
          label: usable_endpoints > 0 ? id : `${id} (no provider)`,
        }))}
      />
      <PreferenceFields value={draft.provider} onChange={(provider) => set({ provider })} />
      <Switch
        label="Apply automatically"
        description="If off, the rule applies only to requests that name it"
        checked={draft.auto_apply}
        onChange={(event) => set({ auto_apply: event.currentTarget.checked })}
      />
      <Switch
        label="Enabled"
        checked={draft.enabled}
        onChange={(event) => set({ enabled: event.currentTarget.checked })}
      />
    </>
  );
}
