"use client";

import { useTRPCClient } from "#app/_lib/trpc.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { Dialog } from "#app/_ui/dialog.tsx";
import { bodyOf, type KeyDraft, newDraft } from "./key-draft.ts";
import { KeyForm } from "./key-form.tsx";
import { NewKey } from "./new-key.tsx";

interface CreateDialogProps {
  /** The service account that shall own the key; absent = the person. */
  readonly owner?: { readonly user_id: string; readonly name: string };
  readonly onClose: () => void;
  readonly onCreated: () => void;
}

/** Asks for name and limits, then shows the key. A click outside must not lose a key that nobody has copied. */
export function CreateDialog({ owner, onClose, onCreated }: CreateDialogProps) {
  const client = useTRPCClient();
  const create = useMutation({
    // The draft, not the body: an expiry counted from now would make a second click another key.
    mutationFn: (draft: KeyDraft) =>
      client.keys.create.mutate({ ...bodyOf(draft), service_account_id: owner?.user_id }),
    onSuccess: onCreated,
  });
  return (
    <Dialog
      onClose={onClose}
      title={
        create.data ? "Copy your API key" : owner ? `Create a key for ${owner.name}` : "Create an API key"
      }
      closeOnClickOutside={!create.data}
    >
      {create.data ? (
        <NewKey apiKey={create.data.key} onDone={onClose} />
      ) : (
        <KeyForm initial={newDraft} verb="Create" saving={create} onSave={create.mutate} onCancel={onClose} />
      )}
    </Dialog>
  );
}
