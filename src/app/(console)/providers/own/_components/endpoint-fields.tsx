"use client";

import { Group, NativeSelect, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "#app/_lib/trpc.ts";
import { type SectionFieldsProps, TextField, TokensField } from "./entry-inputs.tsx";
import { listPriceOf, priceIn, shownIn, withValues } from "./entry-values.ts";

const figures = [
  { name: "input", label: "Input" },
  { name: "output", label: "Output" },
  { name: "cached_input", label: "Cached input" },
] as const;

/** Copies the list price that another provider has for the same model. */
function ImportedPrice({ fields, onChange }: SectionFieldsProps) {
  const model = shownIn(fields, "model");
  const { data } = useQuery(
    useTRPC().catalogue.model.queryOptions({ id: model }, { enabled: model !== "", retry: false }),
  );
  const others = (data?.endpoints ?? []).filter(
    ({ provider, price }) => price !== null && provider !== shownIn(fields, "provider"),
  );
  if (others.length === 0) return null;
  return (
    <NativeSelect
      label="Import a price"
      description="Copies the list price that another provider has for this model."
      value=""
      onChange={({ currentTarget: { value } }) => {
        const chosen = others.find(({ id }) => id === value);
        const price = chosen && listPriceOf(chosen);
        if (price) onChange(withValues(fields, { price }));
      }}
      data={[
        { value: "", label: "Choose a provider" },
        ...others.map(({ id, provider_name, tag }) => ({ value: id, label: `${provider_name} (${tag})` })),
      ]}
    />
  );
}

/** The price for a million tokens. Without one the provider has to be free. */
function EntryPriceFields({ fields, readOnly, onChange }: SectionFieldsProps) {
  const price = priceIn(fields);
  const change = (part: Record<string, string | undefined>) =>
    onChange(withValues(fields, { price: withValues(price ?? { currency: "EUR" }, part) }));
  return (
    <>
      <NativeSelect
        label="Price"
        description="Per million tokens. Without a price requests are sent only if the provider is free."
        disabled={readOnly}
        value={price ? shownIn(price, "currency") : ""}
        onChange={({ currentTarget: { value } }) =>
          value === "" ? onChange(withValues(fields, { price: undefined })) : change({ currency: value })
        }
        data={[
          { value: "", label: "None" },
          { value: "EUR", label: "In EUR" },
          { value: "USD", label: "In USD" },
        ]}
      />
      {price && (
        <Group grow align="start">
          {figures.map(({ name, label }) => (
            <TextInput
              key={name}
              label={label}
              placeholder={name === "cached_input" ? "As input" : "0.05"}
              inputMode="decimal"
              readOnly={readOnly}
              value={shownIn(price, name)}
              onChange={({ currentTarget: { value } }) => change({ [name]: value || undefined })}
              autoComplete="off"
            />
          ))}
        </Group>
      )}
    </>
  );
}

/** What is changed most often of an own endpoint. */
export function EndpointFields(props: SectionFieldsProps) {
  return (
    <>
      <TextField
        {...props}
        label="Name at the provider"
        name="upstream_model"
        description="What requests call the model. Empty: the ID of the model."
      />
      <TokensField {...props} label="Context (tokens)" name="context_length" />
      <EntryPriceFields {...props} />
      {!props.readOnly && <ImportedPrice {...props} />}
    </>
  );
}
