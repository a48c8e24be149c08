"use client";

import { MultiSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { permissionLabels } from "#app/_lib/permission-labels.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { Permission } from "#contract/permission.ts";

interface PermissionsFieldProps {
  readonly value: readonly Permission[];
  readonly onChange: (value: readonly Permission[]) => void;
}

/** What a key may do: never more than the person who decides. */
export function PermissionsField({ value, onChange }: PermissionsFieldProps) {
  const session = useQuery(useTRPC().session.get.queryOptions());
  const mine = session.data?.permissions ?? [];
  const offered = Permission.options.filter((one) => mine.includes(one) || value.includes(one));
  return (
    <MultiSelect
      label="Permissions"
      placeholder={value.length === 0 ? "No permissions" : ""}
      searchable
      hidePickedOptions
      value={[...value]}
      onChange={(chosen) => onChange(Permission.options.filter((one) => chosen.includes(one)))}
      data={offered.map((one) => ({ value: one, label: permissionLabels[one] }))}
      nothingFoundMessage="No matching permission"
    />
  );
}
