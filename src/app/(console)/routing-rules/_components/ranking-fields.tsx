"use client";

import { Fieldset, NativeSelect, Switch } from "@mantine/core";
import { type Choice, NamePicker } from "./name-picker.tsx";
import { OrderedNames } from "./ordered-names.tsx";
import { PercentileFields } from "./percentile-fields.tsx";
import type { PreferenceSectionProps } from "./preference-section.ts";

const measures = [
  { value: "", label: "Balanced (favours low prices)" },
  { value: "price", label: "Lowest price" },
  { value: "latency", label: "Lowest latency" },
  { value: "throughput", label: "Highest throughput" },
] as const;

/** What providers outside the order are sorted by. The API takes a measure, or one with its partition. */
function SortFields({ value: { sort }, onChange }: PreferenceSectionProps) {
  const measure = typeof sort === "object" ? sort?.by : sort;
  const isOneList = typeof sort === "object" && sort?.partition === "none";
  const sortBy = (chosen: string, asOneList: boolean) => {
    const by = measures.find(({ value }) => value === chosen)?.value || null;
    onChange({ sort: by && asOneList ? { by, partition: "none" } : by });
  };
  return (
    <>
      <NativeSelect
        label="Sort other providers by"
        value={measure ?? ""}
        onChange={(event) => sortBy(event.currentTarget.value, isOneList)}
        data={[...measures]}
      />
      {measure && (
        <Switch
          label="Rank all models of a request together"
          description="If off, fallback models come after the first model's providers"
          checked={isOneList}
          onChange={(event) => sortBy(measure, event.currentTarget.checked)}
        />
      )}
    </>
  );
}

interface RankingFieldsProps extends PreferenceSectionProps {
  readonly providers: readonly Choice[];
}

/** The preferences that put eligible endpoints in an order. */
export const RankingFields = ({ value, onChange, providers }: RankingFieldsProps) => (
  <Fieldset legend="Ranking" style={{ display: "grid", gap: 14 }}>
    <NamePicker
      label="Provider order"
      description="Drag the handle, or press Space and use the arrow keys. Other providers come last."
      addLabel="Add a provider to the order"
      chosen={value.order ?? []}
      onChange={(order) => onChange({ order })}
      choices={providers}
    >
      <OrderedNames
        names={value.order ?? []}
        onChange={(order) => onChange({ order: order.length > 0 ? order : null })}
      />
    </NamePicker>
    <SortFields value={value} onChange={onChange} />
    <Switch
      label="Allow fallbacks"
      checked={value.allow_fallbacks ?? true}
      onChange={(event) => onChange({ allow_fallbacks: event.currentTarget.checked ? null : false })}
    />
    <Switch
      label="Require support for all parameters of a request"
      checked={value.require_parameters ?? false}
      onChange={(event) => onChange({ require_parameters: event.currentTarget.checked || null })}
    />
    <PercentileFields
      label="Preferred minimum throughput (tokens per second)"
      value={value.preferred_min_throughput ?? null}
      onChange={(preferred_min_throughput) => onChange({ preferred_min_throughput })}
    />
    <PercentileFields
      label="Preferred maximum time to first token (seconds)"
      value={value.preferred_max_latency ?? null}
      onChange={(preferred_max_latency) => onChange({ preferred_max_latency })}
    />
  </Fieldset>
);
