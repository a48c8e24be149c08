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
      text="Whatever uses this key is refused within two seconds. It cannot be brought back. What it has cost stays on record."
      error={remove.error}
      pending={remove.isPending}
      onConfirm={() => remove.mutate({ hash: apiKey.hash })}
      onClose={onClose}
    />
  );
}
