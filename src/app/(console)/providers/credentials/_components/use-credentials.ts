"use client";

import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useIsOperator, useMay } from "#app/_lib/use-may.ts";

/** What the screen of credentials reads: the credentials, their providers, and what the person may do. */
export function useCredentials() {
  const trpc = useTRPC();
  const list = useQuery(trpc.byok.list.queryOptions({}));
  const catalogue = useQuery(trpc.catalogue.providers.queryOptions({}, { staleTime: 60_000 }));
  return {
    list,
    all: list.data?.data ?? [],
    providers: catalogue.data?.data ?? [],
    operator: useIsOperator(),
    mayEdit: useMay("byok:write"),
    /** A credential cannot be set up before its provider is known. */
    isCatalogueLoaded: catalogue.data !== undefined,
  };
}

export type Credentials = ReturnType<typeof useCredentials>;
