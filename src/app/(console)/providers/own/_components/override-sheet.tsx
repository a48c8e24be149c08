"use client";

import { Stack, Text, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useIsOperator } from "#app/_lib/use-may.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { isoInDays } from "#app/_lib/use-now.ts";
import { FormActions } from "#app/_ui/form-actions.tsx";
import { retentionText, trainingText } from "#app/_ui/policy-badges.tsx";
import { Sheet } from "#app/_ui/sheet.tsx";
import { toastDone } from "#app/_ui/toast.tsx";
import { Unsaved } from "#app/_ui/unsaved.tsx";
import type { EntryScope } from "#contract/catalogue-entry.ts";
import type { CatalogueProvider } from "#contract/catalogue-view.ts";
import { placeText } from "#contract/places.ts";
import { factsOf, type ProviderFacts, withFacts } from "./provider-facts.ts";
import { ScopeField } from "./scope-field.tsx";
import { StatedFacts } from "./stated-facts.tsx";

const shown = <T,>({ value }: { readonly value: T | null }, text: (value: T) => string): string =>
  value === null ? "unknown" : text(value);

/** What applies now, in words. */
const currentOf = (provider: CatalogueProvider): Partial<Record<keyof ProviderFacts, string>> => ({
  legalEntity: shown(provider.legal_entity, (value) => value),
  countries: placeText(provider.countries, provider.region_groups),
  euOwned: shown(provider.eu_owned, (value) => (value ? "yes" : "no")),
  training: shown(provider.training, trainingText),
  retentionDays: shown(provider.retention_days, retentionText),
});

const scopeTexts = {
  organisation: "The new facts apply to your requests only",
  installation: "The new facts apply to the requests of all organisations",
};

interface OverrideSheetProps {
  /** The provider of the catalogue. */
  readonly slug: string;
  readonly onClose: () => Promise<unknown>;
}

/** Replaces facts of a provider of the catalogue, with the source of the new ones. */
export function OverrideSheet({ slug, onClose }: OverrideSheetProps) {
  const { catalogue, catalogueEntries } = useTRPC();
  const queryClient = useQueryClient();
  const providers = useQuery(catalogue.providers.queryOptions({}, { staleTime: 60_000 }));
  const provider = providers.data?.data.find((one) => one.slug === slug);
  const name = provider?.name ?? slug;
  const [fields, setFields] = useState(() => withFacts({ slug }, {}));
  const operator = useIsOperator();
  const [scope, setScope] = useState<EntryScope>("organisation");
  const [source, setSource] = useState("");
  const [asOf, setAsOf] = useState(() => isoInDays(0).slice(0, 10));
  const states = Object.keys(fields).length > 1;
  const create = useMutation(
    catalogueEntries.create.mutationOptions({
      onSuccess: async () => {
        await onClose();
        await queryClient.invalidateQueries();
        await toastDone(`The facts of ${name} are replaced.`);
      },
    }),
  );
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    create.mutate({ ...(operator && { scope }), providers: [fields], source: source.trim(), as_of: asOf });
  }
  return (
    <Sheet title={`Override facts of ${name}`} onClose={() => void onClose()}>
      <form method="post" onSubmit={submit} aria-label="Override">
        <Unsaved when={(states || source !== "") && !create.isSuccess} />
        <Stack>
          <Text size="sm" c="dimmed">
            {operator ? "" : "For your organisation only. "}You can restore the facts of the catalogue at any
            time.
          </Text>
          {operator && <ScopeField scope={scope} texts={scopeTexts} onChange={setScope} />}
          <StatedFacts
            facts={factsOf(fields)}
            unstated="As in the catalogue"
            current={provider && currentOf(provider)}
            onChange={(change) => setFields(withFacts(fields, change))}
          />
          <TextInput
            label="Source"
            description="Where the facts come from, such as the title of a contract"
            required
            maxLength={300}
            value={source}
            onChange={(event) => setSource(event.currentTarget.value)}
            autoComplete="off"
          />
          <TextInput
            label="Checked on"
            type="date"
            required
            max={isoInDays(0).slice(0, 10)}
            value={asOf}
            onChange={(event) => setAsOf(event.currentTarget.value)}
          />
          <FormActions
            verb="Override"
            error={create.error}
            pending={create.isPending}
            disabled={!states}
            onCancel={() => void onClose()}
          />
        </Stack>
      </form>
    </Sheet>
  );
}
