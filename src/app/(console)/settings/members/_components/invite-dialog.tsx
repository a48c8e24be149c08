"use client";

import { Radio, Stack, TextInput } from "@mantine/core";
import { textIn } from "#app/_lib/key-bounds.ts";
import { rolesUpTo } from "#app/_lib/roles.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { Dialog } from "#app/_ui/dialog.tsx";
import { Form } from "#app/_ui/form.tsx";
import { FormEnd } from "#app/_ui/form-end.tsx";
import { SentInvitation } from "#app/_ui/sent-invitation.tsx";
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
    <Dialog
      onClose={onClose}
      title={invite.data ? "Invitation created" : "Invite a member"}
      closeOnClickOutside={!invite.data?.link}
    >
      {invite.data ? (
        <SentInvitation email={invite.data.data.email} link={invite.data.link} onDone={onClose} />
      ) : (
        <Form onSubmit={submit}>
          <TextInput
            name="email"
            type="email"
            label="E-mail"
            required
            withAsterisk={false}
            autoComplete="off"
          />
          <Radio.Group name="role" label="Role" defaultValue="member">
            <Stack gap="xs" mt="xs">
              {choices.map(({ value, label, about }) => (
                <Radio key={value} value={value} label={label} description={about} />
              ))}
            </Stack>
          </Radio.Group>
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
