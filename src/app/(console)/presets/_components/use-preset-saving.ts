"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { toastDone } from "#app/_ui/toast.tsx";
import type { PresetConfig, PresetWithVersion } from "#contract/preset.ts";
import { changeOf, createOf, type Draft } from "./draft.ts";

/** Saves a draft as a new preset or as a change of `preset`. `close` resolves when the form is no longer shown. */
export function usePresetSaving(preset: PresetWithVersion | null, close: () => Promise<unknown>) {
  const { create, update } = useTRPC().presets;
  const queryClient = useQueryClient();
  const finish = async (message: string) => {
    // Closed first: the form's own queries about a deleted preset would fail.
    await close();
    await queryClient.invalidateQueries();
    await toastDone(message);
  };
  const creating = useMutation(
    create.mutationOptions({ onSuccess: ({ data }) => finish(`${data.name} is created.`) }),
  );
  const updating = useMutation(
    update.mutationOptions({
      onSuccess: ({ data }) =>
        finish(
          data.version === preset?.version
            ? `${data.name} is saved.`
            : `Version ${data.version} of ${data.name} is current now.`,
        ),
    }),
  );
  return {
    save: (draft: Draft, config: PresetConfig) =>
      preset
        ? updating.mutate({ slug: preset.name, ...changeOf(draft, config) })
        : creating.mutate(createOf(draft, config)),
    error: creating.error ?? updating.error,
    isPending: creating.isPending || updating.isPending,
    /** Closes the form after a change and reports it. */
    finish,
  };
}
