"use client";

import { TextInput } from "@mantine/core";
import { textIn } from "#app/_lib/key-bounds.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { Dialog } from "#app/_ui/dialog.tsx";
import { Form } from "#app/_ui/form.tsx";
import { FormEnd } from "#app/_ui/form-end.tsx";
import { SentInvitation } from "#app/_ui/sent-invitation.tsx";
import type { ManagedOrganisation } from "#contract/organisation.ts";

interface InviteOwnerDialogProps {
  readonly organisation: ManagedOrganisation;
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

/** For an organisation whose owner has not come in time, or cannot come any more. */
export function InviteOwnerDialog({ organisation, onClose, onChanged }: InviteOwnerDialogProps) {
  const { id, name } = organisation;
  const invite = useMutation(useTRPC().organisations.inviteOwner.mutationOptions({ onSuccess: onChanged }));
  return (
    <Dialog onClose={onClose} title={`Invite an owner to ${name}`} closeOnClickOutside={!invite.data?.link}>
      {invite.data ? (
        <SentInvitation email={invite.data.data.email} link={invite.data.link} onDone={onClose} />
      ) : (
        <Form onSubmit={(fields) => invite.mutate({ id, email: textIn(fields, "email") })}>
          <TextInput
            name="email"
            type="email"
            label="E-mail"
            description="Replaces an open invitation to the same address"
            required
            withAsterisk={false}
            autoComplete="off"
          />
          <FormEnd
            verb="Send invitation"
            error={invite.error}
            pending={invite.isPending}
            onCancel={onClose}
          />
        </Form>
      )}
    </Dialog>
  );
}
