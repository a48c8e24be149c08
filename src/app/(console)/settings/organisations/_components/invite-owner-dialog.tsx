"use client";

import { textIn } from "#app/_lib/key-limits.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";

import { Form } from "#app/_ui/form.tsx";
import { FormActions } from "#app/_ui/form-actions.tsx";
import { InvitationDialog } from "#app/_ui/invitation-dialog.tsx";
import { EmailField } from "#app/_ui/text-fields.tsx";
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
    <InvitationDialog
      title={`Invite an owner to ${name}`}
      sent={invite.data ? { email: invite.data.data.email, link: invite.data.link } : null}
      onClose={onClose}
    >
      <Form onSubmit={(fields) => invite.mutate({ id, email: textIn(fields, "email") })}>
        <EmailField description="Replaces an open invitation to the same address" autoComplete="off" />
        <FormActions
          verb="Send invitation"
          error={invite.error}
          pending={invite.isPending}
          onCancel={onClose}
        />
      </Form>
    </InvitationDialog>
  );
}
