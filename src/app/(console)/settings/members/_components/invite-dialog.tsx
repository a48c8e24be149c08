"use client";

import { textIn } from "#app/_lib/key-limits.ts";
import { rolesUpTo } from "#app/_lib/roles.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";

import { Form } from "#app/_ui/form.tsx";
import { FormActions } from "#app/_ui/form-actions.tsx";
import { InvitationDialog } from "#app/_ui/invitation-dialog.tsx";
import { RoleField } from "#app/_ui/role-field.tsx";
import { EmailField } from "#app/_ui/text-fields.tsx";
import type { Role } from "#contract/permission.ts";

interface InviteDialogProps {
  /** The inviting person's own. */
  readonly role: Role;
  readonly onClose: () => void;
  readonly onInvited: () => void;
}

export function InviteDialog({ role: own, onClose, onInvited }: InviteDialogProps) {
  const invite = useMutation(useTRPC().invitations.create.mutationOptions({ onSuccess: onInvited }));
  const choices = rolesUpTo(own);

  function submit(fields: FormData) {
    const role = choices.find(({ value }) => value === textIn(fields, "role"))?.value;
    invite.mutate({ email: textIn(fields, "email"), role });
  }

  return (
    <InvitationDialog
      title={invite.data ? "Invitation created" : "Invite a member"}
      sent={invite.data ? { email: invite.data.data.email, link: invite.data.link } : null}
      onClose={onClose}
    >
      <Form onSubmit={submit}>
        <EmailField autoComplete="off" />
        <RoleField choices={choices} />
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
