"use client";

import { Group, Radio, Select, Stack, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "#app/_lib/trpc.ts";
import { FailureAlert } from "#app/_ui/failure-alert.tsx";
import type { Offer } from "#contract/catalogue-view.ts";
import type { ListPrices, Pricing } from "./draft.ts";
import { listPriceOf } from "./entry-values.ts";
import type { FactFieldsProps } from "./fact-fields.tsx";

const choices: readonly { readonly value: Pricing; readonly label: string }[] = [
  { value: "free", label: "Free" },
  { value: "own", label: "Own price in EUR per million tokens" },
  { value: "imported", label: "List prices of another provider" },
];

const listPricesIn = ({ data }: { readonly data: readonly Offer[] }): ListPrices =>
  new Map(
    data.flatMap((offer) => {
      const price = listPriceOf(offer);
      return price ? [[offer.model, price] as const] : [];
    }),
  );

/** Reads the list prices of a provider. Without data until they are there, and for an empty `provider`. */
export const useListPrices = (provider: string) =>
  useQuery(
    useTRPC().catalogue.offers.queryOptions({ provider }, { enabled: provider !== "", select: listPricesIn }),
  );

interface ImportedPricesProps extends FactFieldsProps {
  readonly listPrices: ReturnType<typeof useListPrices>;
  /** IDs of the chosen models in the catalogue. */
  readonly models: readonly string[];
}

/** Whose list prices are imported, and how many of the models have one. */
function ImportedPrices({ draft, errors, onChange, listPrices, models }: ImportedPricesProps) {
  const providers = useQuery(useTRPC().catalogue.providers.queryOptions({}));
  const prices = listPrices.data;
  const priced = models.filter((model) => prices?.has(model)).length;
  const others = models.length - priced;
  const missing = others > 0 && " The others have no price, so requests do not use them until you set one.";
  return (
    <>
      <Select
        label="Provider"
        description={
          prices ? (
            <>
              {priced} of {models.length} models have a price there.{missing}
            </>
          ) : (
            "Its list prices are copied. They do not change when it changes them."
          )
        }
        placeholder="Choose a provider"
        searchable
        required
        error={errors.priceProvider}
        nothingFoundMessage="No such provider"
        data={(providers.data?.data ?? []).map(({ slug, name }) => ({ value: slug, label: name }))}
        value={draft.priceProvider || null}
        onChange={(slug) => onChange({ priceProvider: slug ?? "" })}
      />
      {listPrices.isError && (
        <FailureAlert error={listPrices.error} onRetry={() => void listPrices.refetch()} />
      )}
    </>
  );
}

/** What requests cost: nothing, an own price, or what another provider charges. */
export function PriceFields(props: ImportedPricesProps) {
  const { draft, errors, onChange } = props;
  const amount = (label: string, field: "input" | "output") => (
    <TextInput
      label={label}
      placeholder="0.05"
      error={errors[field]}
      required
      inputMode="decimal"
      value={draft[field]}
      onChange={(event) => onChange({ [field]: event.currentTarget.value })}
      autoComplete="off"
    />
  );
  return (
    <>
      <Radio.Group
        label="Price"
        value={draft.pricing}
        onChange={(value) =>
          onChange({ pricing: choices.find((one) => one.value === value)?.value ?? "free" })
        }
      >
        <Stack gap="xs" mt={6}>
          {choices.map(({ value, label }) => (
            <Radio key={value} value={value} label={label} />
          ))}
        </Stack>
      </Radio.Group>
      {draft.pricing === "own" && (
        <Group grow align="start">
          {amount("Input", "input")}
          {amount("Output", "output")}
        </Group>
      )}
      {draft.pricing === "imported" && <ImportedPrices {...props} />}
    </>
  );
}
