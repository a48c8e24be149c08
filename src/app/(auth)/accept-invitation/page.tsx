import type { Metadata } from "next";
import { AcceptInvitation } from "./_components/accept-invitation.tsx";

export const metadata: Metadata = { title: "Invitation" };

export default function AcceptInvitationPage() {
  return <AcceptInvitation />;
}
