"use client";

import { Button, Stack, TextInput } from "@mantine/core";
import { ConfirmButton } from "#app/_ui/confirm-button.tsx";
import { FormActions } from "#app/_ui/form-actions.tsx";
import { ResultAlert } from "#app/_ui/result-alert.tsx";
import { Unsaved } from "#app/_ui/unsaved.tsx";
import type { CredentialCheck } from "#contract/byok.ts";
import { AvailabilityFields } from "./availability-fields.tsx";
import { verdictOf } from "./check-status.tsx";
import { BaseUrlNotice, ProviderField } from "./provider-field.tsx";
import { SecretFields } from "./secret-fields.tsx";
import { type CredentialFormProps, useCredentialForm } from "./use-credential-form.ts";

/** A provider credential being set up or changed. It can be checked before it is saved. */
export function CredentialForm(props: CredentialFormProps) {
  const { providers, saved, operator } = props;
  const { draft, provider, change, check, save, ...form } = useCredentialForm(props);
  return (
    <form
      method="post"
      aria-label="Credential"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <Unsaved when={form.isChanged} />
      <Stack>
        {!saved && (
          <ProviderField
            providers={providers}
            value={draft.provider}
            onChange={(slug) => change({ provider: slug, typed: {}, allowed_models: [] })}
          />
        )}
        {provider && <BaseUrlNotice provider={provider} />}
        <TextInput
          label="Name"
          description="A label for your team"
          required
          maxLength={100}
          value={draft.name}
          onChange={(event) => change({ name: event.currentTarget.value })}
          autoComplete="off"
        />
        {provider && (
          <SecretFields
            auth={provider.auth}
            typed={draft.typed}
            stored={saved && { lastFour: saved.last_four }}
            onChange={(typed) => change({ typed })}
          />
        )}
        <AvailabilityFields draft={draft} onChange={change} operator={operator} />
        {check.data && <Verdict key={check.submittedAt} check={check.data} />}
        <FormActions verb={saved ? "Save" : "Add"} error={save.error ?? check.error} pending={save.isPending}>
          <Button
            variant="default"
            onClick={() => check.mutate()}
            loading={check.isPending}
            disabled={!form.isCheckable}
          >
            Check
          </Button>
          {saved && (
            <ConfirmButton
              verb="Remove"
              name={saved.name}
              text="Requests stop using this credential within two seconds. It stays valid at the provider until you revoke it there."
              onConfirm={() => form.remove(saved.id)}
              onDone={() => form.done(`${saved.name} is removed.`)}
            />
          )}
        </FormActions>
      </Stack>
    </form>
  );
}

function Verdict({ check }: { check: CredentialCheck }) {
  const { tone, label } = verdictOf(check);
  return (
    <ResultAlert tone={tone} title={label}>
      {check.message}
      {check.status !== null && ` (HTTP ${check.status})`}
    </ResultAlert>
  );
}
