"use client";

import { useState } from "react";
import { textIn } from "#app/_lib/key-limits.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";

import { Form } from "#app/_ui/form.tsx";
import { FormActions } from "#app/_ui/form-actions.tsx";
import { InvitationDialog } from "#app/_ui/invitation-dialog.tsx";
import { EmailField, EuroField, NameField } from "#app/_ui/text-fields.tsx";

interface CreateOrganisationDialogProps {
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

/** A new organisation, and the invitation of its owner: who makes it is no member of it. */
export function CreateOrganisationDialog({ onClose, onChanged }: CreateOrganisationDialogProps) {
  const create = useMutation(useTRPC().organisations.create.mutationOptions({ onSuccess: onChanged }));
  const [email, setEmail] = useState("");

  function submit(fields: FormData) {
    const credit = textIn(fields, "credit");
    setEmail(textIn(fields, "owner_email"));
    create.mutate({
      name: textIn(fields, "name"),
      owner_email: textIn(fields, "owner_email"),
      ...(credit && { credit: Number(credit) }),
    });
  }

  return (
    <InvitationDialog
      title={create.data ? `${create.data.data.name} created` : "Create an organisation"}
      sent={create.data ? { email, link: create.data.link } : null}
      onClose={onClose}
    >
      <Form onSubmit={submit}>
        <NameField />
        <EmailField
          name="owner_email"
          label="Owner e-mail"
          description="Receives an invitation as the owner"
          autoComplete="off"
        />
        <EuroField name="credit" label="Starting credit in euros" description="Leave empty for none" />
        <FormActions verb="Create" error={create.error} pending={create.isPending} onCancel={onClose} />
      </Form>
    </InvitationDialog>
  );
}
