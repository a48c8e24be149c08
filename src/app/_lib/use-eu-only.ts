"use client";

import { useQueryClient } from "@tanstack/react-query";
import { toastDone, toastFailure } from "../_ui/toast.tsx";
import { useTRPC } from "./trpc.ts";
import { useMutation } from "./use-mutation.ts";

/** One click: a rule that keeps every request of the organisation in the EU, with a way back. */
export function useEuOnly() {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const refresh = () => queryClient.invalidateQueries();
  const remove = useMutation(
    trpc.routingRules.remove.mutationOptions({ onSuccess: refresh, onError: toastFailure }),
  );
  const create = useMutation(
    trpc.routingRules.create.mutationOptions({
      onSuccess: async ({ data }) => {
        await refresh();
        await toastDone("Requests stay in the EU from now on.", () => remove.mutate({ id: data.id }));
      },
      onError: toastFailure,
    }),
  );
  return {
    isPending: create.isPending,
    mutate: () =>
      create.mutate({
        name: "EU only",
        description: "Inference runs only in the EU.",
        scope: "org",
        provider: { data_residency: "eu" },
      }),
  };
}
