"use client";

import { Alert, MultiSelect, Stack, Text, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { failureOf } from "#app/_lib/failure.ts";
import { useTRPCClient } from "#app/_lib/trpc.ts";
import { useFieldErrors } from "#app/_lib/use-field-errors.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { isoInDays } from "#app/_lib/use-now.ts";
import { FormActions } from "#app/_ui/form-actions.tsx";
import { Unsaved } from "#app/_ui/unsaved.tsx";
import type { ProviderProbe } from "#contract/provider-probe.ts";
import { createOf, type Draft, errorsOf, type ListPrices, modelIdOf, newDraft, slugOf } from "./draft.ts";
import { FactFields } from "./fact-fields.tsx";
import { PriceFields, useListPrices } from "./price-fields.tsx";
import { ScopeField } from "./scope-field.tsx";

/** What was added: the slug of the provider, and its models in the catalogue. */
export interface Added {
  readonly slug: string;
  readonly name: string;
  readonly models: readonly string[];
  /** Why its credential could not be stored; null if it was, or if there is none. */
  readonly credentialProblem: string | null;
}

interface ProviderFormProps {
  readonly probe: ProviderProbe;
  /** Empty if the server needs none. */
  readonly credential: string;
  readonly operator: boolean;
  readonly onAdded: (added: Added) => void;
  readonly onBack: () => void;
}

const scopeTexts = {
  organisation: "Requests use no credit",
  installation: "Requests use credit at its price",
};

/** Adds the provider with its models, and then its credential. */
function useAdd(
  { probe, credential, onAdded }: ProviderFormProps,
  draft: Draft,
  prices: ListPrices | undefined,
) {
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async () => {
      const slug = slugOf(draft.name);
      await client.catalogueEntries.create.mutate(createOf(draft, probe, isoInDays(0).slice(0, 10), prices));
      const shared = draft.scope === "installation";
      // The provider is there now, so that the form cannot be sent again.
      const credentialProblem =
        credential === ""
          ? null
          : await client.byok.create
              .mutate({ provider: slug, name: draft.name, key: credential, shared })
              .then(
                () => null,
                (error: unknown) => failureOf(error).message,
              );
      const chosen = probe.models.filter(({ id }) => draft.models.includes(id));
      const models = chosen.map((model) => modelIdOf(model, slug));
      return { slug, name: draft.name, models, credentialProblem };
    },
    onSuccess: async (added) => {
      onAdded(added);
      await queryClient.invalidateQueries();
    },
  });
}

/** The second step: which models, what is known of the provider, and its price. */
export function ProviderForm(props: ProviderFormProps) {
  const { probe, operator, onBack } = props;
  const [initial] = useState(() => newDraft(probe));
  const [draft, setDraft] = useState(initial);
  const { errors, accepts } = useFieldErrors(errorsOf(draft));
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part });
  const isImporting = draft.pricing === "imported" && draft.priceProvider !== "";
  const listPrices = useListPrices(isImporting ? draft.priceProvider : "");
  const add = useAdd(props, draft, listPrices.data);
  const slug = slugOf(draft.name);
  const models = probe.models
    .filter(({ id }) => draft.models.includes(id))
    .map((one) => modelIdOf(one, slug));
  return (
    <form
      method="post"
      aria-label="Provider"
      onSubmit={(event) => {
        if (accepts(event)) add.mutate();
      }}
    >
      <Unsaved when={draft !== initial && !add.isSuccess} />
      <Stack>
        <Alert variant="default" role="status" title={probe.message}>
          {probe.base_url}
        </Alert>
        <TextInput
          label="Name"
          description={slug === "" ? "Such as Our GPU server" : `Requests name it ${slug}`}
          required
          data-autofocus
          maxLength={100}
          value={draft.name}
          onChange={(event) => change({ name: event.currentTarget.value })}
          autoComplete="off"
        />
        {operator && (
          <ScopeField scope={draft.scope} texts={scopeTexts} onChange={(scope) => change({ scope })} />
        )}
        <MultiSelect
          label="Models"
          description={`${draft.models.length} of ${probe.models.length} chosen`}
          required
          searchable
          clearable
          styles={{ pillsList: { maxHeight: 180, overflowY: "auto" } }}
          data={probe.models.map(({ id }) => id)}
          value={[...draft.models]}
          onChange={(models) => change({ models })}
          nothingFoundMessage="No matching model"
        />
        <FactFields draft={draft} errors={errors} onChange={change} />
        <PriceFields
          draft={draft}
          errors={errors}
          onChange={change}
          listPrices={listPrices}
          models={models}
        />
        <Text size="xs" c="dimmed">
          These facts are recorded as your statement of today.
        </Text>
        <FormActions
          verb="Add provider"
          error={add.error}
          pending={add.isPending}
          disabled={slug === "" || draft.models.length === 0 || (isImporting && !listPrices.data)}
          onCancel={onBack}
        />
      </Stack>
    </form>
  );
}
