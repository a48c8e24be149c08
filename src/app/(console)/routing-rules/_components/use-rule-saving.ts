"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { toastDone } from "#app/_ui/toast.tsx";
import type { RoutingRule } from "#contract/routing-rule.ts";
import { changeOf, createOf, type Draft } from "./draft.ts";

/** Saves a draft as a new rule or as a change of `rule`. `close` resolves when the editor is no longer shown. */
export function useRuleSaving(rule: RoutingRule | null, close: () => Promise<unknown>) {
  const { create, update } = useTRPC().routingRules;
  const queryClient = useQueryClient();
  const finish = async (message: string) => {
    // Closed first: the editor's own queries about a deleted rule would fail.
    await close();
    await queryClient.invalidateQueries();
    await toastDone(message);
  };
  const creating = useMutation(
    create.mutationOptions({ onSuccess: ({ data }) => finish(`${data.name} is created.`) }),
  );
  const updating = useMutation(
    update.mutationOptions({ onSuccess: ({ data }) => finish(`${data.name} is saved.`) }),
  );
  return {
    save: (draft: Draft) =>
      rule ? updating.mutate({ id: rule.id, ...changeOf(draft) }) : creating.mutate(createOf(draft)),
    error: creating.error ?? updating.error,
    isPending: creating.isPending || updating.isPending,
    /** Closes the editor after a change and reports it. */
    finish,
  };
}
