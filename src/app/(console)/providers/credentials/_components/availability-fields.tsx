"use client";

import { NativeSelect, Radio, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "#app/_lib/trpc.ts";
import { LimitToField } from "#app/_ui/limit-to-field.tsx";
import { NumberField } from "#app/_ui/number-field.tsx";
import type { Draft } from "./draft.ts";

interface ServiceFieldsProps {
  readonly draft: Draft;
  readonly onChange: (change: Partial<Draft>) => void;
  /** Whether whoever is signed in may share it with every organisation. */
  readonly operator: boolean;
}

const orderMax = 1_000_000;

/** Whom a credential serves, and when it is tried. */
export function AvailabilityFields({ draft, onChange, operator }: ServiceFieldsProps) {
  const trpc = useTRPC();
  const models = useQuery(trpc.catalogue.models.queryOptions({}, { staleTime: 60_000 }));
  const keys = useQuery(trpc.keys.list.queryOptions({}));
  const { provider, shared, is_fallback, sort_order, allowed_models, allowed_api_key_hashes } = draft;
  return (
    <>
      {operator && (
        <Radio.Group
          label="Available to"
          value={shared ? "all" : "own"}
          onChange={(value) => onChange({ shared: value === "all" })}
        >
          <Stack gap="xs" mt={6}>
            <Radio
              value="own"
              label="Your organisation"
              description="The provider bills you, no credit is used"
            />
            <Radio
              value="all"
              label="All organisations"
              description="Replaces a credential from the environment; requests use credit"
            />
          </Stack>
        </Radio.Group>
      )}
      {!shared && (
        <>
          <NativeSelect
            label="Priority"
            value={String(is_fallback)}
            onChange={(event) => onChange({ is_fallback: event.currentTarget.value === "true" })}
            data={[
              { value: "false", label: "Before the shared credential" },
              { value: "true", label: "After the shared credential" },
            ]}
          />
          <LimitToField
            label="Limit to models"
            all="All models of the provider"
            nothingFound="No matching model of this provider"
            choices={(models.data?.data ?? [])
              .filter(({ id, providers }) => providers.includes(provider) || allowed_models.includes(id))
              .map(({ id }) => id)}
            value={allowed_models}
            onChange={(chosen) => onChange({ allowed_models: chosen })}
          />
          <LimitToField
            label="Limit to keys"
            all="All keys"
            nothingFound="No matching key"
            choices={(keys.data?.data ?? []).map(({ hash, name }) => ({ value: hash, label: name }))}
            value={allowed_api_key_hashes}
            onChange={(chosen) => onChange({ allowed_api_key_hashes: chosen })}
          />
        </>
      )}
      <NumberField
        label="Order"
        description="Lower numbers are tried first"
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
