"use client";

import { NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { placeName } from "#contract/places.ts";
import { useTRPC } from "../_lib/trpc.ts";

interface ResidencyFieldProps {
  readonly label: string;
  readonly description: ReactNode;
  /** What choosing no place means. */
  readonly nowhere: string;
  readonly value: string | null;
  readonly onChange: (value: string | null) => void;
}

const groups = ["eu", "eea", "eu_adequate"].map((value) => ({
  value,
  label: placeName(value).replace(/^t/, "T"),
}));

/** A group of countries or one of them. */
export function ResidencyField({ label, description, nowhere, value, onChange }: ResidencyFieldProps) {
  const lists = useQuery(useTRPC().routingRules.euResidency.queryOptions({}, { staleTime: 600_000 }));
  const countries = [
    ...(lists.data?.data.eu_countries ?? []),
    ...(lists.data?.data.eea_countries ?? []),
    ...(lists.data?.data.eu_adequate_countries ?? []),
  ]
    .map(({ code, name }) => ({ value: code.toLowerCase(), label: name }))
    .toSorted((a, b) => a.label.localeCompare(b.label, "en"));
  const known = [...groups, ...countries].some((choice) => choice.value === value);
  const other = value && !known ? [{ value, label: placeName(value) }] : [];
  return (
    <NativeSelect
      label={label}
      description={description}
      value={value ?? ""}
      onChange={(event) => onChange(event.currentTarget.value || null)}
      data={[
        { value: "", label: nowhere },
        ...other,
        { group: "Groups", items: groups },
        { group: "One country", items: countries },
      ]}
    />
  );
}
