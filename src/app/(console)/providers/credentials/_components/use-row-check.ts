"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { toastFailure } from "#app/_ui/toast.tsx";

/** Checks credentials from the list; the row then shows the result. */
export function useRowCheck() {
  const queryClient = useQueryClient();
  const check = useMutation(
    useTRPC().byok.check.mutationOptions({
      onError: toastFailure,
      onSettled: () => queryClient.invalidateQueries(),
    }),
  );
  return {
    run: (id: string) => check.mutate({ id }),
    /** The one being checked. */
    pending: check.isPending ? check.variables.id : null,
  };
}
