"use client";

import { Textarea } from "@mantine/core";
import { useState } from "react";
import { useTRPCClient } from "#app/_lib/trpc.ts";
import { type Confirmation, ConfirmByName } from "#app/_ui/confirm-by-name.tsx";
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

type OfOneProps = Omit<OfOne, "what"> & DialogProps;

interface ConfirmChangeProps extends OfOneProps, Omit<Confirmation, "name" | "onDone"> {
  /** What the organisation is afterwards: `suspended`. */
  readonly state: string;
}

/** Asks for the organisation's name; once it is done, the list is refreshed. */
function ConfirmChange({ organisation, onChanged, state, ...confirmation }: ConfirmChangeProps) {
  const { name } = organisation;
  const onDone = () => {
    onChanged();
    confirmation.onClose();
    return toastDone(`${name} is ${state}.`);
  };
  return <ConfirmByName {...confirmation} name={name} onDone={onDone} />;
}

const reasonCharactersMin = 3;

function SuspendDialog(props: OfOneProps) {
  const { organisations } = useTRPCClient();
  const { id } = props.organisation;
  const [typed, setTyped] = useState("");
  const reason = typed.trim();
  return (
    <ConfirmChange
      {...props}
      verb="Suspend"
      state="suspended"
      text="Its API keys stop working at once, and its members see the reason instead of the console. Requests in progress finish and are billed. Nothing is deleted; resuming restores everything."
      complete={reason.length >= reasonCharactersMin}
      onConfirm={() => organisations.suspend.mutate({ id, reason })}
    >
      <Textarea
        label="Reason"
        description="Shown to its members and returned to requests with its keys. At least 3 characters."
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        maxLength={500}
        autosize
        minRows={2}
        required
        withAsterisk={false}
      />
    </ConfirmChange>
  );
}

function ResumeDialog(props: OfOneProps) {
  const { organisations } = useTRPCClient();
  return (
    <ConfirmChange
      {...props}
      verb="Resume"
      state="active again"
      text="Its API keys and members regain access. All settings are unchanged."
      onConfirm={() => organisations.resume.mutate({ id: props.organisation.id })}
    />
  );
}

function DeleteDialog(props: OfOneProps) {
  const { organisations } = useTRPCClient();
  const { id, name } = props.organisation;
  return (
    <ConfirmChange
      {...props}
      verb="Delete"
      state="deleted"
      text="This cannot be undone. It deletes memberships, API keys, workspaces, rules, destinations, provider credentials, stored responses, conversations and refused requests. The ledger, the audit log and request records (without user, session and application) are kept. People keep their accounts."
      onConfirm={() => organisations.remove.mutate({ id, name })}
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
