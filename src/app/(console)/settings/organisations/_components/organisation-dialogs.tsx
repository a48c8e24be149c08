"use client";

import { Textarea } from "@mantine/core";
import { textIn } from "#app/_lib/key-limits.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { ConfirmByName } from "#app/_ui/confirm-by-name.tsx";
import { toastDone } from "#app/_ui/toast.tsx";
import { CreateOrganisationDialog } from "./create-organisation-dialog.tsx";
import { InviteOwnerDialog } from "./invite-owner-dialog.tsx";
import type { OpenDialog } from "./organisation-columns.tsx";
import { RenameOrganisationDialog } from "./rename-organisation-dialog.tsx";

interface DialogProps {
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

type OfOne = Exclude<OpenDialog, { what: "create" }>;

/** Programs and people are refused at once: no click alone does that. */
function SuspendDialog({ organisation, onClose, onChanged }: Omit<OfOne, "what"> & DialogProps) {
  const { id, name } = organisation;
  const suspend = useMutation(
    useTRPC().organisations.suspend.mutationOptions({
      onSuccess: () => {
        onChanged();
        onClose();
        return toastDone(`${name} is suspended.`);
      },
    }),
  );
  return (
    <ConfirmByName
      verb="Suspend"
      name={name}
      text="Its API keys stop working at once, and its members see the reason instead of the console. Requests in progress finish and are billed. Nothing is deleted; resuming restores everything."
      error={suspend.error}
      pending={suspend.isPending}
      onConfirm={(fields) => suspend.mutate({ id, reason: textIn(fields, "reason") })}
      onClose={onClose}
    >
      <Textarea
        name="reason"
        label="Reason"
        description="Shown to its members and returned to requests with its keys"
        minLength={3}
        maxLength={500}
        autosize
        minRows={2}
        required
        withAsterisk={false}
      />
    </ConfirmByName>
  );
}

function ResumeDialog({ organisation, onClose, onChanged }: Omit<OfOne, "what"> & DialogProps) {
  const { id, name } = organisation;
  const resume = useMutation(
    useTRPC().organisations.resume.mutationOptions({
      onSuccess: () => {
        onChanged();
        onClose();
        return toastDone(`${name} is active again.`);
      },
    }),
  );
  return (
    <ConfirmByName
      verb="Resume"
      name={name}
      text="Its API keys and members regain access. All settings are unchanged."
      error={resume.error}
      pending={resume.isPending}
      onConfirm={() => resume.mutate({ id })}
      onClose={onClose}
    />
  );
}

function DeleteDialog({ organisation, onClose, onChanged }: Omit<OfOne, "what"> & DialogProps) {
  const { id, name } = organisation;
  const remove = useMutation(
    useTRPC().organisations.remove.mutationOptions({
      onSuccess: () => {
        onChanged();
        onClose();
        return toastDone(`${name} is deleted.`);
      },
    }),
  );
  return (
    <ConfirmByName
      verb="Delete"
      name={name}
      text="This cannot be undone. It deletes memberships, API keys, workspaces, rules, destinations, provider credentials, stored responses and refused requests. The ledger, the audit log and request records (without user, session and application) are kept. People keep their accounts."
      error={remove.error}
      pending={remove.isPending}
      onConfirm={() => remove.mutate({ id, name })}
      onClose={onClose}
    />
  );
}

const dialogs = {
  rename: RenameOrganisationDialog,
  invite: InviteOwnerDialog,
  suspend: SuspendDialog,
  resume: ResumeDialog,
  delete: DeleteDialog,
} as const;

/** The dialog for what somebody wants to do. */
export function OrganisationDialogs({ dialog, ...rest }: { readonly dialog: OpenDialog } & DialogProps) {
  if (dialog.what === "create") return <CreateOrganisationDialog {...rest} />;
  const Chosen = dialogs[dialog.what];
  return <Chosen organisation={dialog.organisation} {...rest} />;
}
