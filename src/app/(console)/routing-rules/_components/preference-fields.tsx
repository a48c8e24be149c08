"use client";

import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "#app/_lib/trpc.ts";
import { known, retentionText, trainingText } from "#app/_ui/policy-badges.tsx";
import type { CatalogueProvider } from "#contract/catalogue-view.ts";
import type { ProviderPreferences } from "#contract/preferences.ts";
import type { Choice } from "./name-picker.tsx";
import { RankingFields } from "./ranking-fields.tsx";
import { RequirementFields } from "./requirement-fields.tsx";

interface PreferenceFieldsProps {
  readonly value: ProviderPreferences;
  readonly onChange: (value: ProviderPreferences) => void;
}

/** `Mistral AI · EU-owned · FR · 30-day retention · no training`: what one has to know to choose. */
const choiceOf = (provider: CatalogueProvider): Choice => ({
  value: provider.slug,
  label: [
    provider.name,
    ...(known(provider.eu_owned) ? ["EU-owned"] : []),
    provider.countries.join(" ") || provider.headquarters || "region unknown",
    retentionText(known(provider.retention_days)),
    trainingText(known(provider.training)),
    ...(provider.unusable ? ["not available yet"] : []),
  ].join(" · "),
});

/** Every preference of a rule: first what excludes endpoints, then what ranks them. */
export function PreferenceFields({ value, onChange }: PreferenceFieldsProps) {
  const catalogue = useQuery(useTRPC().catalogue.providers.queryOptions({}, { staleTime: 60_000 }));
  const providers = (catalogue.data?.data ?? []).map(choiceOf);
  const set = (change: ProviderPreferences) => onChange({ ...value, ...change });
  return (
    <>
      <RequirementFields value={value} onChange={set} providers={providers} />
      <RankingFields value={value} onChange={set} providers={providers} />
    </>
  );
}
