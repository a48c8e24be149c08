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
    provider.countries.join(" ") || provider.headquarters || "place unknown",
    retentionText(known(provider.retention_days)),
    trainingText(known(provider.training)),
    ...(provider.unusable ? ["cannot be used yet"] : []),
  ].join(" · "),
});

const sorts = [
  { value: "", label: "Balanced: cheap ones more often" },
  { value: "price", label: "Cheapest first" },
  { value: "latency", label: "Quickest first content first" },
  { value: "throughput", label: "Most tokens a second first" },
] as const;

const priceFields = [
  ["prompt", "Million prompt tokens"],
  ["completion", "Million completion tokens"],
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
      <Fieldset legend="Must hold, whatever a request asks for" style={{ display: "grid", gap: 14 }}>
        <ResidencyField
          label="Inference runs in"
          description="Every country an endpoint may use has to lie there"
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
          label="Nothing is kept"
          description="Zero data retention"
          checked={value.zdr ?? false}
          onChange={(event) => set({ zdr: event.currentTarget.checked || null })}
        />
        <NumberInput
          label="Kept for at most, days"
          description="Empty: as long as they like"
          min={0}
          allowDecimal={false}
          allowNegative={false}
          value={value.max_retention_days ?? ""}
          onChange={(days) => set({ max_retention_days: number(days) })}
        />
        <NamePicker
          label="Only these providers"
          description="None: every provider"
          addLabel="Allow a provider"
          chosen={value.only ?? []}
          onChange={(only) => set({ only: only.length > 0 ? only : null })}
          choices={choices}
        />
        <NamePicker
          label="Never these providers"
          description="Wins over the list above"
          addLabel="Rule out a provider"
          chosen={value.ignore ?? []}
          onChange={(ignore) => set({ ignore: ignore.length > 0 ? ignore : null })}
          choices={choices}
        />
        <Checkbox.Group
          label="Weights"
          description="None: any. Providers that do not say count as unknown"
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
        <Fieldset legend="Price at most, in USD" variant="unstyled">
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
      <Fieldset legend="Who comes first" style={{ display: "grid", gap: 14 }}>
        <NamePicker
          label="In this order"
          description="Drag, or Space and the arrow keys on the handle. The others come after them"
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
          label="Otherwise"
          value={sort ?? ""}
          onChange={(event) => sortAs(event.currentTarget.value, oneList)}
          data={[...sorts]}
        />
        {sort && (
          <Switch
            label="All models of a request in one list"
            description="Off: fallback models come after the first model's providers"
            checked={oneList}
            onChange={(event) => sortAs(sort, event.currentTarget.checked)}
          />
        )}
        <Switch
          label="Try the next one when the first fails"
          checked={value.allow_fallbacks ?? true}
          onChange={(event) => set({ allow_fallbacks: event.currentTarget.checked ? null : false })}
        />
        <Switch
          label="Must support every parameter of a request"
          checked={value.require_parameters ?? false}
          onChange={(event) => set({ require_parameters: event.currentTarget.checked || null })}
        />
        <PercentileFields
          label="Rather with at least, tokens a second"
          value={value.preferred_min_throughput ?? null}
          onChange={(preferred_min_throughput) => set({ preferred_min_throughput })}
        />
        <PercentileFields
          label="Rather with first content within, seconds"
          value={value.preferred_max_latency ?? null}
          onChange={(preferred_max_latency) => set({ preferred_max_latency })}
        />
      </Fieldset>
    </>
  );
}
