"use client";

import { Checkbox, Fieldset, SimpleGrid, Switch, Text } from "@mantine/core";
import { NumberField } from "#app/_ui/number-field.tsx";
import { ResidencyField } from "#app/_ui/residency-field.tsx";
import { Quantization } from "#contract/preferences.ts";
import { useHint } from "./effect-text.tsx";
import { type Choice, NamePicker } from "./name-picker.tsx";
import { numberIn, type PreferenceSectionProps } from "./preference-section.ts";

/** Where inference runs, and what the provider may do with prompts. */
const DataFields = ({ value, onChange }: PreferenceSectionProps) => (
  <>
    <ResidencyField
      label="Inference runs in"
      description={useHint("data_residency", "All countries an endpoint may use must be in this region")}
      nowhere="Anywhere"
      value={value.data_residency ?? null}
      onChange={(data_residency) => onChange({ data_residency })}
    />
    <Switch
      label="EU-owned providers only"
      description={useHint("eu_owned")}
      checked={value.eu_owned ?? false}
      onChange={(event) => onChange({ eu_owned: event.currentTarget.checked || null })}
    />
    <Switch
      label="No training on prompts"
      description={useHint("data_collection")}
      checked={value.data_collection === "deny"}
      onChange={(event) => onChange({ data_collection: event.currentTarget.checked ? "deny" : null })}
    />
    <Switch
      label="Zero data retention"
      description={useHint("zdr")}
      checked={value.zdr ?? false}
      onChange={(event) => onChange({ zdr: event.currentTarget.checked || null })}
    />
    <NumberField
      label="Maximum retention (days)"
      description={useHint("max_retention_days", "Leave empty for no limit")}
      min={0}
      allowDecimal={false}
      allowNegative={false}
      value={value.max_retention_days ?? ""}
      onChange={(days) => onChange({ max_retention_days: numberIn(days) })}
    />
  </>
);

const QuantizationField = ({ value, onChange }: PreferenceSectionProps) => (
  <Checkbox.Group
    label="Quantization"
    description={useHint(
      "quantizations",
      "Leave empty to allow all formats. Endpoints that do not state theirs count as unknown.",
    )}
    value={value.quantizations ?? []}
    onChange={(formats) => {
      const quantizations = Quantization.options.filter((format) => formats.includes(format));
      onChange({ quantizations: quantizations.length > 0 ? quantizations : null });
    }}
  >
    <SimpleGrid cols={{ base: 3, xs: 4 }} spacing={8} mt={6}>
      {Quantization.options.map((format) => (
        <Checkbox key={format} value={format} label={format} size="xs" />
      ))}
    </SimpleGrid>
  </Checkbox.Group>
);

const prices = [
  ["prompt", "1M prompt tokens"],
  ["completion", "1M completion tokens"],
  ["request", "Request"],
  ["image", "Image"],
  ["audio", "Audio"],
] as const;

const MaxPriceFields = ({ value, onChange }: PreferenceSectionProps) => (
  <Fieldset legend="Maximum price in USD per" variant="unstyled">
    <SimpleGrid cols={2} spacing="xs">
      {prices.map(([name, label]) => (
        <NumberField
          key={name}
          size="xs"
          label={label}
          min={0}
          allowNegative={false}
          value={value.max_price?.[name] ?? ""}
          onChange={(given) => {
            const maxPrice = { ...value.max_price, [name]: numberIn(given) };
            const isEmpty = Object.values(maxPrice).every((price) => price == null);
            onChange({ max_price: isEmpty ? null : maxPrice });
          }}
        />
      ))}
    </SimpleGrid>
  </Fieldset>
);

interface RequirementFieldsProps extends PreferenceSectionProps {
  readonly providers: readonly Choice[];
}

/** The preferences that exclude endpoints. */
export const RequirementFields = ({ value, onChange, providers }: RequirementFieldsProps) => (
  <Fieldset legend="Requirements" style={{ display: "grid", gap: 14 }}>
    <Text size="sm" c="dimmed">
      Requests cannot override these.
    </Text>
    <DataFields value={value} onChange={onChange} />
    <NamePicker
      label="Allowed providers"
      description={useHint("only", "Leave empty to allow all providers")}
      addLabel="Allow a provider"
      chosen={value.only ?? []}
      onChange={(only) => onChange({ only: only.length > 0 ? only : null })}
      choices={providers}
    />
    <NamePicker
      label="Excluded providers"
      description={useHint("ignore", "Takes precedence over the list above")}
      addLabel="Exclude a provider"
      chosen={value.ignore ?? []}
      onChange={(ignore) => onChange({ ignore: ignore.length > 0 ? ignore : null })}
      choices={providers}
    />
    <QuantizationField value={value} onChange={onChange} />
    <MaxPriceFields value={value} onChange={onChange} />
  </Fieldset>
);
