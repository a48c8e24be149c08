"use client";

import { TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import type { ManagedOrganisation } from "#contract/organisation.ts";
import { textIn } from "../../../../_lib/key-bounds.ts";
import { useTRPC } from "../../../../_lib/trpc.ts";
import { useMutation } from "../../../../_lib/use-mutation.ts";
import { Dialog } from "../../../../_ui/dialog.tsx";
import { Form } from "../../../../_ui/form.tsx";
import { FormEnd } from "../../../../_ui/form-end.tsx";

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
      // One's own name stands in the header too.
      onSettled: () => queryClient.invalidateQueries(),
    }),
  );
  return (
    <Dialog onClose={onClose} title={`Rename ${name}`}>
      <Form onSubmit={(fields) => rename.mutate({ id, name: textIn(fields, "name") })}>
        <TextInput
          name="name"
          label="Name"
          defaultValue={name}
          maxLength={100}
          required
          withAsterisk={false}
          autoComplete="off"
        />
        <FormEnd verb="Rename" error={rename.error} pending={rename.isPending} onCancel={onClose} />
      </Form>
    </Dialog>
  );
}
