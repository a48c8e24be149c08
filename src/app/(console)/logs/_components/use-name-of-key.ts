"use client";

import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "#app/_lib/trpc.ts";

/** Names of keys by ID; of one that was deleted, or that the person may not see, the end of its ID. */
export function useNameOfKey(): (id: string) => string {
  const keys = useQuery(useTRPC().keys.names.queryOptions({}, { staleTime: 60_000 }));
  return (id) => keys.data?.data.find((one) => one.id === id)?.name ?? `…${id.slice(-8)}`;
}
