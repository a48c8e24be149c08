"use client";

import { Alert, Button, Code, Select, Stack, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTRPCClient } from "#app/_lib/trpc.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { ConfirmButton } from "#app/_ui/confirm-button.tsx";
import { FormActions } from "#app/_ui/form-actions.tsx";
import { Status } from "#app/_ui/status.tsx";
import { toastDone, toastFailure } from "#app/_ui/toast.tsx";
import { Unsaved } from "#app/_ui/unsaved.tsx";
import type { CredentialCheck, ProviderCredential } from "#contract/byok.ts";
import type { CatalogueProvider } from "#contract/catalogue-view.ts";
import { joinedCredential } from "#contract/credential-parts.ts";
import { AvailabilityFields } from "./availability-fields.tsx";
import { verdictOf } from "./check-status.tsx";
import { createOf, type Draft, draftOf, newDraft, updateOf } from "./draft.ts";
import { SecretFields } from "./secret-fields.tsx";

interface CredentialFormProps {
  readonly providers: readonly CatalogueProvider[];
  /** Undefined for a new one. */
  readonly saved?: ProviderCredential | undefined;
  /** The provider a new one is meant for, when that was chosen before. */
  readonly chosen?: string | undefined;
  readonly operator: boolean;
  readonly onDone: () => void;
}

/** A provider credential being set up or changed: a check before it is saved, and one after. */
export function CredentialForm({ providers, saved, chosen = "", operator, onDone }: CredentialFormProps) {
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const [initial] = useState<Draft>(saved ? draftOf(saved) : newDraft(chosen));
  const [draft, setDraft] = useState(initial);
  const provider = providers.find(({ slug }) => slug === draft.provider);
  const key = provider ? joinedCredential(provider.auth, draft.typed) : "";
  const refresh = () => queryClient.invalidateQueries();
  const done = async (message: string) => {
    onDone();
    await refresh();
    await toastDone(message);
  };

  const check = useMutation({
    mutationFn: async (): Promise<CredentialCheck> =>
      saved && key === ""
        ? (await client.byok.check.mutate({ id: saved.id })).data
        : (await client.byok.checkUnsaved.mutate({ provider: draft.provider, key })).data,
    onSettled: refresh,
  });
  const save = useMutation({
    mutationFn: async (): Promise<ProviderCredential> =>
      saved
        ? (await client.byok.update.mutate(updateOf(draft, key, saved))).data
        : (await client.byok.create.mutate(createOf(draft, key))).data,
    onSuccess: async ({ id, name }) => {
      // The list then tells what the provider says to it; that it is saved does not wait for that.
      if (key !== "") void client.byok.check.mutate({ id }).then(refresh, toastFailure);
      await done(`${name} is saved.`);
    },
  });

  function change(part: Partial<Draft>) {
    setDraft({ ...draft, ...part });
    if (part.typed || part.provider !== undefined) check.reset();
  }

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    save.mutate();
  }

  return (
    <form method="post" onSubmit={submit} aria-label="Credential">
      <Unsaved when={JSON.stringify(draft) !== JSON.stringify(initial)} />
      <Stack>
        {!saved && (
          <Select
            label="Provider"
            placeholder="Choose a provider"
            required
            searchable
            allowDeselect={false}
            value={draft.provider || null}
            onChange={(slug) => slug && change({ provider: slug, typed: {}, allowed_models: [] })}
            data={providers.map(({ slug, name }) => ({ value: slug, label: name }))}
            nothingFoundMessage="No matching provider"
          />
        )}
        {provider?.unusable === "no_base_url" && (
          <Alert variant="default" title="Base URL not set">
            The operator must set <Code>base_url</Code> for {provider.name} in <Code>CATALOG_FILE</Code>{" "}
            before requests can be sent.
          </Alert>
        )}
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
        {check.data && <Verdict check={check.data} />}
        <FormActions verb={saved ? "Save" : "Add"} error={save.error ?? check.error} pending={save.isPending}>
          <Button
            variant="default"
            onClick={() => check.mutate()}
            loading={check.isPending}
            disabled={!provider || (!saved && key === "")}
          >
            Check
          </Button>
          {saved && (
            <ConfirmButton
              verb="Remove"
              name={saved.name}
              text="Requests stop using this credential within two seconds. It stays valid at the provider until you revoke it there."
              onConfirm={() => client.byok.remove.mutate({ id: saved.id })}
              onDone={() => done(`${saved.name} is removed.`)}
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
    <Alert variant="default" role="status" title={<Status tone={tone}>{label}</Status>}>
      {check.message}
      {check.status !== null && ` (HTTP ${check.status})`}
    </Alert>
  );
}
