"use client";

import { Checkbox, Fieldset, NativeSelect, NumberInput, SimpleGrid, Switch } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "#app/_lib/trpc.ts";
import { known, retentionText, trainingText } from "#app/_ui/policy-badges.tsx";
import { ResidencyField } from "#app/_ui/residency-field.tsx";
import type { CatalogueProvider } from "#contract/catalogue-view.ts";
import { type ProviderPreferences, Quantization } from "#contract/preferences.ts";
import { NamePicker } from "./name-picker.tsx";
import { OrderedNames } from "./ordered-names.tsx";
import { PercentileFields } from "./percentile-fields.tsx";

interface PreferenceFieldsProps {
  readonly value: ProviderPreferences;
  readonly onChange: (value: ProviderPreferences) => void;
}

/** `Mistral AI · EU-owned · FR · keeps 30 days · no training`: what one has to know to choose. */
const choiceOf = (provider: CatalogueProvider) => ({
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

const sorts = [
  { value: "", label: "Balanced (favours low prices)" },
  { value: "price", label: "Lowest price" },
  { value: "latency", label: "Lowest latency" },
  { value: "throughput", label: "Highest throughput" },
] as const;

const priceFields = [
  ["prompt", "1M prompt tokens"],
  ["completion", "1M completion tokens"],
  ["request", "Request"],
  ["image", "Image"],
  ["audio", "Audio"],
] as const;

const number = (given: string | number): number | null => (given === "" ? null : Number(given));

/** Every preference of a rule: first what may never be loosened, then what only ranks. */
export function PreferenceFields({ value, onChange }: PreferenceFieldsProps) {
  const providers = useQuery(useTRPC().catalogue.providers.queryOptions({}, { staleTime: 60_000 }));
  const choices = (providers.data?.data ?? []).map(choiceOf);
  const set = (change: ProviderPreferences) => onChange({ ...value, ...change });
  const sort = typeof value.sort === "object" ? value.sort?.by : value.sort;
  const oneList = typeof value.sort === "object" && value.sort?.partition === "none";
  const sortAs = (by: string, together: boolean) => {
    const measure = sorts.find((one) => one.value === by)?.value || null;
    set({ sort: measure && together ? { by: measure, partition: "none" } : measure });
  };
  return (
    <>
      <Fieldset legend="Requirements (requests cannot override these)" style={{ display: "grid", gap: 14 }}>
        <ResidencyField
          label="Inference runs in"
          description="All countries an endpoint may use must be in this region"
          nowhere="Anywhere"
          value={value.data_residency ?? null}
          onChange={(data_residency) => set({ data_residency })}
        />
        <Switch
          label="EU-owned providers only"
          checked={value.eu_owned ?? false}
          onChange={(event) => set({ eu_owned: event.currentTarget.checked || null })}
        />
        <Switch
          label="No training on prompts"
          checked={value.data_collection === "deny"}
          onChange={(event) => set({ data_collection: event.currentTarget.checked ? "deny" : null })}
        />
        <Switch
          label="Zero data retention"
          checked={value.zdr ?? false}
          onChange={(event) => set({ zdr: event.currentTarget.checked || null })}
        />
        <NumberInput
          label="Maximum retention (days)"
          description="Leave empty for no limit"
          min={0}
          allowDecimal={false}
          allowNegative={false}
          value={value.max_retention_days ?? ""}
          onChange={(days) => set({ max_retention_days: number(days) })}
        />
        <NamePicker
          label="Allowed providers"
          description="Leave empty to allow all providers"
          addLabel="Allow a provider"
          chosen={value.only ?? []}
          onChange={(only) => set({ only: only.length > 0 ? only : null })}
          choices={choices}
        />
        <NamePicker
          label="Excluded providers"
          description="Takes precedence over the list above"
          addLabel="Exclude a provider"
          chosen={value.ignore ?? []}
          onChange={(ignore) => set({ ignore: ignore.length > 0 ? ignore : null })}
          choices={choices}
        />
        <Checkbox.Group
          label="Quantization"
          description="Leave empty to allow all formats. Endpoints that do not state theirs count as unknown."
          value={value.quantizations ?? []}
          onChange={(formats) => {
            const quantizations = Quantization.options.filter((format) => formats.includes(format));
            set({ quantizations: quantizations.length > 0 ? quantizations : null });
          }}
        >
          <SimpleGrid cols={{ base: 3, xs: 4 }} spacing={8} mt={6}>
            {Quantization.options.map((format) => (
              <Checkbox key={format} value={format} label={format} size="xs" />
            ))}
          </SimpleGrid>
        </Checkbox.Group>
        <Fieldset legend="Maximum price in USD per" variant="unstyled">
          <SimpleGrid cols={2} spacing="xs">
            {priceFields.map(([name, label]) => (
              <NumberInput
                key={name}
                size="xs"
                label={label}
                min={0}
                allowNegative={false}
                value={value.max_price?.[name] ?? ""}
                onChange={(given) => {
                  const prices = { ...value.max_price, [name]: number(given) };
                  set({ max_price: Object.values(prices).some((price) => price != null) ? prices : null });
                }}
              />
            ))}
          </SimpleGrid>
        </Fieldset>
      </Fieldset>
      <Fieldset legend="Ranking" style={{ display: "grid", gap: 14 }}>
        <NamePicker
          label="Provider order"
          description="Drag the handle, or press Space and use the arrow keys. Other providers come last."
          addLabel="Add a provider to the order"
          chosen={value.order ?? []}
          onChange={(order) => set({ order })}
          choices={choices}
        >
          <OrderedNames
            names={value.order ?? []}
            onChange={(order) => set({ order: order.length > 0 ? order : null })}
          />
        </NamePicker>
        <NativeSelect
          label="Sort other providers by"
          value={sort ?? ""}
          onChange={(event) => sortAs(event.currentTarget.value, oneList)}
          data={[...sorts]}
        />
        {sort && (
          <Switch
            label="Rank all models of a request together"
            description="If off, fallback models come after the first model's providers"
            checked={oneList}
            onChange={(event) => sortAs(sort, event.currentTarget.checked)}
          />
        )}
        <Switch
          label="Allow fallbacks"
          checked={value.allow_fallbacks ?? true}
          onChange={(event) => set({ allow_fallbacks: event.currentTarget.checked ? null : false })}
        />
        <Switch
          label="Require support for all parameters of a request"
          checked={value.require_parameters ?? false}
          onChange={(event) => set({ require_parameters: event.currentTarget.checked || null })}
        />
        <PercentileFields
          label="Preferred minimum throughput (tokens per second)"
          value={value.preferred_min_throughput ?? null}
          onChange={(preferred_min_throughput) => set({ preferred_min_throughput })}
        />
        <PercentileFields
          label="Preferred maximum time to first token (seconds)"
          value={value.preferred_max_latency ?? null}
          onChange={(preferred_max_latency) => set({ preferred_max_latency })}
        />
      </Fieldset>
    </>
  );
}
