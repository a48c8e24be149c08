"use client";

import { MultiSelect, NativeSelect, NumberInput, Radio, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "#app/_lib/trpc.ts";
import type { Draft } from "./draft.ts";

interface ServiceFieldsProps {
  readonly draft: Draft;
  readonly onChange: (change: Partial<Draft>) => void;
  /** Whether whoever is signed in may share it with every organisation. */
  readonly operator: boolean;
}

const orderMax = 1_000_000;

/** Whom a credential serves, and when it is tried. */
export function ServiceFields({ draft, onChange, operator }: ServiceFieldsProps) {
  const trpc = useTRPC();
  const models = useQuery(trpc.catalogue.models.queryOptions({}, { staleTime: 60_000 }));
  const keys = useQuery(trpc.keys.list.queryOptions({}));
  const { provider, shared, is_fallback, sort_order, allowed_models, allowed_api_key_hashes } = draft;
  return (
    <>
      {operator && (
        <Radio.Group
          label="It serves"
          value={shared ? "all" : "own"}
          onChange={(value) => onChange({ shared: value === "all" })}
        >
          <Stack gap="xs" mt={6}>
            <Radio
              value="own"
              label="Your organisation"
              description="The provider bills you; requests cost no credit"
            />
            <Radio
              value="all"
              label="Every organisation of this installation"
              description="In place of one from the environment; requests cost credit as usual"
            />
          </Stack>
        </Radio.Group>
      )}
      {!shared && (
        <>
          <NativeSelect
            label="It is tried"
            value={String(is_fallback)}
            onChange={(event) => onChange({ is_fallback: event.currentTarget.value === "true" })}
            data={[
              { value: "false", label: "Before the installation's credential" },
              { value: "true", label: "In reserve, after the installation's" },
            ]}
          />
          <MultiSelect
            label="Only for models"
            placeholder={allowed_models.length === 0 ? "Every model of the provider" : ""}
            searchable
            clearable
            value={[...allowed_models]}
            onChange={(chosen) => onChange({ allowed_models: chosen })}
            data={(models.data?.data ?? [])
              .filter(({ id, providers }) => providers.includes(provider) || allowed_models.includes(id))
              .map(({ id }) => id)}
            nothingFoundMessage="The provider serves no such model"
          />
          <MultiSelect
            label="Only for requests of these keys"
            placeholder={allowed_api_key_hashes.length === 0 ? "Every key" : ""}
            searchable
            clearable
            value={[...allowed_api_key_hashes]}
            onChange={(chosen) => onChange({ allowed_api_key_hashes: chosen })}
            data={(keys.data?.data ?? []).map(({ hash, name }) => ({ value: hash, label: name }))}
            nothingFoundMessage="No such key"
          />
        </>
      )}
      <NumberInput
        label="Order"
        description="Of several for one provider the smaller is tried first"
        value={sort_order}
        onChange={(value) => onChange({ sort_order: Number(value) || 0 })}
        min={0}
        max={orderMax}
        allowDecimal={false}
        styles={{ wrapper: { maxWidth: 160 } }}
      />
    </>
  );
}
