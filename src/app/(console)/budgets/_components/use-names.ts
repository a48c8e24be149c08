"use client";

import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useMay } from "#app/_lib/use-may.ts";
import { isPlainDimension, metadataPrefix, type PlainDimension } from "#contract/budget-dimensions.ts";
import type { NameOf } from "./budget-text.ts";

export interface Choice {
  readonly value: string;
  readonly label: string;
}

const seldom = { staleTime: 60_000 };
const named = (rows: readonly { readonly id: string; readonly name: string }[] | undefined): Choice[] =>
  (rows ?? []).map(({ id, name }) => ({ value: id, label: name }));

/** What the dimensions of a budget can be, with the names of values that are IDs. */
export function useNames() {
  const trpc = useTRPC();
  const mayReadMembers = useMay("members:read");
  const mayReadTags = useMay("activity:read");
  const mayReadKeys = useMay("keys:read");
  const workspaces = useQuery(trpc.workspaces.list.queryOptions({}, seldom));
  const keys = useQuery(trpc.keys.list.queryOptions({}, { ...seldom, enabled: mayReadKeys }));
  const members = useQuery(trpc.members.list.queryOptions({}, { ...seldom, enabled: mayReadMembers }));
  const chosen = useQuery(trpc.tags.list.queryOptions({}, { ...seldom, enabled: mayReadTags }));
  const models = useQuery(trpc.catalogue.models.queryOptions({}, seldom));
  /** Null: any text. */
  const choices: Record<PlainDimension, readonly Choice[] | null> = {
    workspace: named(workspaces.data?.data),
    key: named(keys.data?.data),
    person: (members.data?.data ?? []).map(({ user_id, name }) => ({ value: user_id, label: name })),
    model: (models.data?.data ?? []).map(({ id }) => ({ value: id, label: id })),
    end_user: null,
  };
  const nameOf: NameOf = (dimension, value) =>
    isPlainDimension(dimension)
      ? (choices[dimension]?.find((choice) => choice.value === value)?.label ?? value)
      : value;
  /** Keys of `metadata` that are tags of the organisation. */
  const tags = (chosen.data?.data ?? [])
    .map(({ name }) => name)
    .filter((name) => name.startsWith(metadataPrefix));
  return { choices, tags, nameOf };
}
