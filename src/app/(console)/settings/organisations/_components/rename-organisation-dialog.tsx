"use client";

import { useQueryClient } from "@tanstack/react-query";
import { textIn } from "#app/_lib/key-limits.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { Dialog } from "#app/_ui/dialog.tsx";
import { Form } from "#app/_ui/form.tsx";
import { FormActions } from "#app/_ui/form-actions.tsx";
import { NameField } from "#app/_ui/text-fields.tsx";
import type { ManagedOrganisation } from "#contract/organisation.ts";

interface RenameOrganisationDialogProps {
  readonly organisation: ManagedOrganisation;
  readonly onClose: () => void;
}

export function RenameOrganisationDialog({ organisation, onClose }: RenameOrganisationDialogProps) {
  const queryClient = useQueryClient();
  const { id, name } = organisation;
  const rename = useMutation(
    useTRPC().organisations.update.mutationOptions({
      onSuccess: onClose,
      // The name of one's own organisation is in the header too.
      onSettled: () => queryClient.invalidateQueries(),
    }),
  );
  return (
    <Dialog onClose={onClose} title={`Rename ${name}`}>
      <Form onSubmit={(fields) => rename.mutate({ id, name: textIn(fields, "name") })}>
        <NameField defaultValue={name} />
        <FormActions verb="Rename" error={rename.error} pending={rename.isPending} onCancel={onClose} />
      </Form>
    </Dialog>
  );
}
