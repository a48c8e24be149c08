"use client";

import { useTRPC } from "#app/_lib/trpc.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { ConfirmByName } from "#app/_ui/confirm-by-name.tsx";
import type { ApiKey } from "#contract/key.ts";

interface RevokeDialogProps {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
  readonly onRevoked: () => void;
}

/** Ends a key once its name has been typed: programs stop that no click should stop by accident. */
export function RevokeDialog({ apiKey, onClose, onRevoked }: RevokeDialogProps) {
  const done = () => {
    onRevoked();
    onClose();
  };
  const remove = useMutation(useTRPC().keys.remove.mutationOptions({ onSuccess: done }));
  return (
    <ConfirmByName
      verb="Revoke"
      name={apiKey.name}
      text="Requests with this key are refused within two seconds. This cannot be undone. Usage records are kept."
      error={remove.error}
      pending={remove.isPending}
      onConfirm={() => remove.mutate({ hash: apiKey.hash })}
      onClose={onClose}
    />
  );
}
