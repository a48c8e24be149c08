"use client";

import { textIn } from "#app/_lib/key-limits.ts";
import { rolesUpTo } from "#app/_lib/roles.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { Dialog } from "#app/_ui/dialog.tsx";
import { Form } from "#app/_ui/form.tsx";
import { FormActions } from "#app/_ui/form-actions.tsx";
import { RoleField } from "#app/_ui/role-field.tsx";
import { NameField } from "#app/_ui/text-fields.tsx";
import type { Role } from "#contract/permission.ts";

interface CreateDialogProps {
  /** The creating person's own. */
  readonly role: Role;
  readonly onClose: () => void;
  readonly onCreated: () => void;
}

export function CreateDialog({ role: own, onClose, onCreated }: CreateDialogProps) {
  const done = () => {
    onCreated();
    onClose();
  };
  const create = useMutation(useTRPC().serviceAccounts.create.mutationOptions({ onSuccess: done }));
  const choices = rolesUpTo(own).flatMap(({ value, ...text }) =>
    value === "owner" ? [] : [{ value, ...text }],
  );

  function submit(fields: FormData) {
    const role = choices.find(({ value }) => value === textIn(fields, "role"))?.value;
    create.mutate({ name: textIn(fields, "name"), role });
  }

  return (
    <Dialog onClose={onClose} title="Create a service account">
      <Form onSubmit={submit}>
        <NameField description="The program that uses it" />
        <RoleField description="Maximum permissions of its keys" choices={choices} />
        <FormActions verb="Create" error={create.error} pending={create.isPending} onCancel={onClose} />
      </Form>
    </Dialog>
  );
}
