"use client";

import type { ReactNode } from "react";
import { Dialog } from "./dialog.tsx";
import { SentInvitation } from "./sent-invitation.tsx";

interface InvitationDialogProps {
  readonly title: string;
  /** The invitation, once it is created. */
  readonly sent: { readonly email: string; readonly link: string | null } | null;
  readonly onClose: () => void;
  /** The form that creates it. */
  readonly children: ReactNode;
}

/** A form that ends in an invitation. A click outside must not lose a link that nobody has copied. */
export function InvitationDialog({ title, sent, onClose, children }: InvitationDialogProps) {
  return (
    <Dialog onClose={onClose} title={title} closeOnClickOutside={!sent?.link}>
      {sent ? <SentInvitation {...sent} onDone={onClose} /> : children}
    </Dialog>
  );
}
