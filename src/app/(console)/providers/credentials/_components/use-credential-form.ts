"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPCClient } from "#app/_lib/trpc.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { toastDone, toastFailure } from "#app/_ui/toast.tsx";
import type { CredentialCheck, ProviderCredential } from "#contract/byok.ts";
import type { CatalogueProvider } from "#contract/catalogue-view.ts";
import { joinedCredential } from "#contract/credential-parts.ts";
import { createOf, type Draft, draftOf, newDraft, updateOf } from "./draft.ts";

export interface CredentialFormProps {
  readonly providers: readonly CatalogueProvider[];
  /** Undefined for a new one. */
  readonly saved?: ProviderCredential | undefined;
  /** The provider of a new one, when it was chosen before. */
  readonly chosen?: string | undefined;
  readonly operator: boolean;
  readonly onDone: () => void;
}

/** The draft of a credential, with what can be done with it: checking, saving, removing. */
export function useCredentialForm({ providers, saved, chosen = "", onDone }: CredentialFormProps) {
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const [initial] = useState<Draft>(saved ? draftOf(saved) : newDraft(chosen));
  const [draft, setDraft] = useState(initial);
  const provider = providers.find(({ slug }) => slug === draft.provider);
  const key = provider ? joinedCredential(provider.auth, draft.typed) : "";

  const refresh = () => queryClient.invalidateQueries();
  const done = async (message: string) => {
    onDone();
    await refresh();
    await toastDone(message);
  };
  const check = useMutation({
    mutationFn: async (): Promise<CredentialCheck> =>
      saved && key === ""
        ? (await client.byok.check.mutate({ id: saved.id })).data
        : (await client.byok.checkUnsaved.mutate({ provider: draft.provider, key })).data,
    onSettled: refresh,
  });
  const save = useMutation({
    mutationFn: async (): Promise<ProviderCredential> =>
      saved
        ? (await client.byok.update.mutate(updateOf(draft, key, saved))).data
        : (await client.byok.create.mutate(createOf(draft, key))).data,
    onSuccess: async ({ id, name }) => {
      // The list then shows what the provider answers; saving does not wait for it.
      if (key !== "") void client.byok.check.mutate({ id }).then(refresh, toastFailure);
      await done(`${name} is saved.`);
    },
  });

  return {
    draft,
    provider,
    isChanged: JSON.stringify(draft) !== JSON.stringify(initial),
    change: (part: Partial<Draft>) => {
      setDraft({ ...draft, ...part });
      if (part.typed || part.provider !== undefined) check.reset();
    },
    /** Whether there is a secret to check: a typed or a stored one. */
    isCheckable: provider !== undefined && (saved !== undefined || key !== ""),
    check,
    save,
    remove: (id: string) => client.byok.remove.mutate({ id }),
    done,
  };
}
