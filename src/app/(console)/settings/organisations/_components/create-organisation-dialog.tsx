"use client";

import { TextInput } from "@mantine/core";
import { useState } from "react";
import { textIn } from "#app/_lib/key-bounds.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { Dialog } from "#app/_ui/dialog.tsx";
import { Form } from "#app/_ui/form.tsx";
import { FormEnd } from "#app/_ui/form-end.tsx";
import { SentInvitation } from "#app/_ui/sent-invitation.tsx";

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
    <Dialog
      onClose={onClose}
      title={create.data ? `${create.data.data.name} created` : "Create an organisation"}
      closeOnClickOutside={!create.data?.link}
    >
      {create.data ? (
        <SentInvitation email={email} link={create.data.link} onDone={onClose} />
      ) : (
        <Form onSubmit={submit}>
          <TextInput
            name="name"
            label="Name"
            maxLength={100}
            required
            withAsterisk={false}
            autoComplete="off"
          />
          <TextInput
            name="owner_email"
            type="email"
            label="Owner e-mail"
            description="Receives an invitation as the owner"
            required
            withAsterisk={false}
            autoComplete="off"
          />
          <TextInput
            name="credit"
            label="Starting credit in euros"
            description="Leave empty for none"
            inputMode="decimal"
            pattern="[0-9]+([.][0-9]{1,6})?"
            autoComplete="off"
          />
          <FormEnd verb="Create" error={create.error} pending={create.isPending} onCancel={onClose} />
        </Form>
      )}
    </Dialog>
  );
}
